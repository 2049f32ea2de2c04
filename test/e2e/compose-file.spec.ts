import { parse } from 'yaml';
import { runCommand } from '../support/run-command.js';
import { readText } from '../support/workspace.js';

interface Service {
  build?: unknown;
  stop_grace_period?: string;
  healthcheck?: { test?: unknown };
}

const servicesOf = (yaml: string): [string, Service][] =>
  Object.entries((parse(yaml) as { services: Record<string, Service> }).services);

/** Services that run our code but leave the time to stop to the engine's default of 10 s. */
const withoutGracePeriod = (yaml: string): string[] =>
  servicesOf(yaml)
    .filter(([, service]) => service.build !== undefined && !service.stop_grace_period)
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

  it('gives every service that it builds a time to stop', () => {
    expect(servicesOf(yaml).filter(([, service]) => service.build !== undefined)).not.toEqual([]);
    expect(withoutGracePeriod(yaml)).toEqual([]);
  });

  it('has health checks that are lists of words', () => {
    for (const [, { healthcheck }] of servicesOf(yaml)) {
      const words = healthcheck?.test ?? [];
      expect(words).toEqual((words as unknown[]).map(String));
    }
  });

  it('is accepted by compose', async () => {
    const compose = await composeCommand();
    if (!compose) return void process.stderr.write('no docker compose here: the file is only checked as YAML\n');
    const { code, stderr } = await runCommand(compose[0], [...compose[1], 'config', '--quiet']);
    expect({ code, output: code === 0 ? '' : stderr }).toEqual({ code: 0, output: '' });
  }, 30_000);
});

describe('the check of a compose file', () => {
  it('reports a built service without a time to stop', () => {
    const yaml = 'services:\n  a: # ours\n     build: .\n  b:\n     image: redis\nvolumes:\n  c:\n    build: .\n';
    expect(withoutGracePeriod(yaml)).toEqual(['a']);
    expect(withoutGracePeriod(yaml.replace('build: .', 'build: .\n     stop_grace_period: 1s'))).toEqual([]);
  });

  it.each(['services:\n  a:\n build: .\n', 'services: {', 'services:\n  a:\n  a:\n'])('refuses %j', (yaml) => {
    expect(() => servicesOf(yaml)).toThrow();
  });
});
