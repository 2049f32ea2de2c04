import { servicesOf } from '../support/compose-file.js';
import { runCommand } from '../support/run-command.js';
import { readText } from '../support/workspace.js';

/** Services that run our code but leave the time to stop to the engine's default of 10 s. */
const withoutGracePeriod = async (yaml: string): Promise<string[]> =>
  [...(await servicesOf(yaml))]
    .filter(([, settings]) => settings.includes('build') && !settings.includes('stop_grace_period'))
    .map(([name]) => name);

/** `docker compose`, the older `docker-compose`, or nothing. */
const composeCommand = async (): Promise<[string, string[]] | undefined> => {
  const known: [string, string[]][] = [
    ['docker', ['compose']],
    ['docker-compose', []],
  ];
  for (const [command, args] of known) {
    const { code } = await runCommand(command, [...args, 'version']).catch(() => ({ code: 1 }));
    if (code === 0) return [command, args];
  }
  return undefined;
};

describe('docker-compose.yml', () => {
  const yaml = readText('docker-compose.yml');

  it('gives every service that it builds a time to stop', async () => {
    const built = [...(await servicesOf(yaml))].filter(([, settings]) => settings.includes('build'));
    expect(built).not.toEqual([]);
    expect(await withoutGracePeriod(yaml)).toEqual([]);
  });

  it('is accepted by compose', async () => {
    const compose = await composeCommand();
    if (!compose) return void process.stderr.write('no docker compose here: the file is only checked as YAML\n');
    const { code, stderr } = await runCommand(compose[0], [...compose[1], 'config', '--quiet']);
    expect({ code, output: code === 0 ? '' : stderr }).toEqual({ code: 0, output: '' });
  }, 30_000);
});

describe('the check of a compose file', () => {
  it('reports a built service without a time to stop', async () => {
    const yaml = 'services:\n  a: # ours\n     build: .\n  b:\n     image: redis\nvolumes:\n  c:\n    build: .\n';
    expect(await withoutGracePeriod(yaml)).toEqual(['a']);
    expect(await withoutGracePeriod(yaml.replace('build: .', 'build: .\n     stop_grace_period: 1s'))).toEqual([]);
  });

  it.each(['services:\n  a:\n build: .\n', 'services: {', 'services:\n  a: { build: . }\n', 'services:\n  a:\n  a:\n'])(
    'refuses %j',
    async (yaml) => {
      await expect(servicesOf(yaml)).rejects.toThrow();
    },
  );
});
