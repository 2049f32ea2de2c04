import { format } from 'prettier';

/**
 * The settings of each service of a compose file, by name. Prettier parses the YAML (and throws where it is none) and
 * prints it with two spaces per level, so the level of a key can be read from its column.
 */
export const servicesOf = async (yaml: string): Promise<Map<string, string[]>> => {
  const services = new Map<string, string[]>();
  let section = '';
  let service = '';
  for (const line of (await format(yaml, { parser: 'yaml', tabWidth: 2 })).split('\n')) {
    const [, indent = '', key = '', value = ''] = /^( *)([\w.-]+):(?: (.*))?$/.exec(line) ?? [];
    if (!key) continue;
    if (indent.length === 0) section = key;
    if (section !== 'services') continue;
    if (indent.length === 2) {
      if (value && !value.startsWith('#')) throw new Error(`service ${key} is not written as a block`);
      if (services.has(key)) throw new Error(`service ${key} is there twice`);
      services.set((service = key), []);
    }
    if (indent.length === 4) services.get(service)?.push(key);
  }
  return services;
};
