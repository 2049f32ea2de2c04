import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { composeCommand } from '../support/compose-command.js';
import { runCommand } from '../support/run-command.js';
import { readText, ROOT } from '../support/workspace.js';

interface Service {
  build?: unknown;
  command?: string[];
  environment?: Record<string, string | number | null>;
  healthcheck?: { test?: unknown };
  init?: boolean;
  ports?: string[];
  profiles?: string[];
  restart?: string;
  stop_grace_period?: string;
}

const servicesOf = (yaml: string): [string, Service][] =>
  Object.entries((parse(yaml, { merge: true }) as { services: Record<string, Service> }).services);

/** Services that run code of this repository. */
const builtIn = (yaml: string): [string, Service][] =>
  servicesOf(yaml).filter(([, service]) => service.build !== undefined);

/** Services without stop_grace_period, which use the engine's default of 10 s. */
const withoutGracePeriod = (yaml: string): string[] =>
  builtIn(yaml)
    .filter(([, service]) => !service.stop_grace_period)
    .map(([name]) => name);

const inSeconds = (duration: unknown): number => Number(/^(\d+)s$/.exec(String(duration))?.[1]);

/** Variables with a value in the file that should be set from outside. */
const secretsIn = (yaml: string): string[] =>
  servicesOf(yaml).flatMap(([, { environment = {} }]) =>
    Object.entries(environment)
      .filter(([name, value]) => /TOKEN|SECRET|PASSWORD|KEY/.test(name) && value !== null)
      .map(([name]) => name),
  );

describe('docker-compose.yml', () => {
  const yaml = readText('docker-compose.yml');

  it('gives every service that it builds a stop_grace_period', () => {
    expect(builtIn(yaml)).not.toEqual([]);
    expect(withoutGracePeriod(yaml)).toEqual([]);
  });

  it('lets every shutdown finish before the engine kills the container', () => {
    for (const [, { environment, stop_grace_period }] of builtIn(yaml)) {
      expect(inSeconds(environment?.['ROOST_TIMEOUT_MS'])).toBeLessThanOrEqual(inSeconds(stop_grace_period) - 2);
    }
  });

  it('has health checks that are lists of words', () => {
    for (const [, { healthcheck }] of servicesOf(yaml)) {
      const words = healthcheck?.test ?? [];
      expect(words).toEqual((words as unknown[]).map(String));
    }
  });

  it('defines a health check, a restart policy and a command for every service that it builds', () => {
    for (const [, { healthcheck, init, restart }] of builtIn(yaml)) {
      expect({ test: healthcheck?.test, init, restart }).toEqual({
        test: expect.arrayContaining(['CMD', 'node']),
        init: true,
        restart: expect.stringMatching(/^(on-failure|no)$/),
      });
    }
  });

  it('runs existing programs, directly with node and with early signals', () => {
    const image = JSON.parse(/^CMD (\[.*\])$/m.exec(readText('Dockerfile'))![1]!) as string[];
    for (const [, { command = image }] of builtIn(yaml)) {
      expect(command.slice(0, 3)).toEqual(['node', '--import', '@roost/shutdown/early']);
      const source = command[3]!.replace('/dist/', '/src/').replace(/\.js$/, '.ts');
      expect([source, existsSync(join(ROOT, source))]).toEqual([source, true]);
    }
  });

  it('starts only the shop by default, and publishes ports only on this machine', () => {
    const services = servicesOf(yaml);
    expect(services.filter(([, { profiles }]) => !profiles).map(([name]) => name)).toEqual(['shop']);
    const ports = services.flatMap(([, service]) => service.ports ?? []);
    expect(ports).toHaveLength(2);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:${'))).toEqual([]);
  });

  it('contains no secret', () => {
    expect(servicesOf(yaml).find(([name]) => name === 'shop')![1].environment).toHaveProperty('ADMIN_TOKEN', null);
    expect(secretsIn(yaml)).toEqual([]);
  });

  it('is accepted by compose with all profiles', async () => {
    const compose = await composeCommand();
    if (!compose) return void process.stderr.write('no docker compose here: the file is only checked as YAML\n');
    const [command, ...fixed] = compose;
    const profiles = ['--profile', 'pipeline', '--profile', 'fleet'];
    for (const more of [[], ['-f', 'test/compose/quick-health.yml']]) {
      const args = [...fixed, '-f', 'docker-compose.yml', ...more, ...profiles, 'config', '--quiet'];
      const { code, stderr } = await runCommand(command, args);
      expect({ code, output: code === 0 ? '' : stderr }).toEqual({ code: 0, output: '' });
    }
  }, 30_000);
});

describe('The check of a compose file', () => {
  it('reports a built service without stop_grace_period', () => {
    const yaml = 'services:\n  a: # ours\n     build: .\n  b:\n     image: redis\nvolumes:\n  c:\n    build: .\n';
    expect(withoutGracePeriod(yaml)).toEqual(['a']);
    expect(withoutGracePeriod(yaml.replace('build: .', 'build: .\n     stop_grace_period: 1s'))).toEqual([]);
  });

  it('resolves anchors', () => {
    const yaml = 'x-app: &app\n  build: .\nservices:\n  a:\n    <<: *app\n';
    expect(withoutGracePeriod(yaml)).toEqual(['a']);
    expect(withoutGracePeriod(yaml.replace('build: .', 'build: .\n  stop_grace_period: 1s'))).toEqual([]);
  });

  it('reports a secret', () => {
    expect(secretsIn('services:\n  a:\n    environment:\n      DB_PASSWORD: x\n      API_KEY:\n')).toEqual([
      'DB_PASSWORD',
    ]);
  });

  it.each(['services:\n  a:\n build: .\n', 'services: {', 'services:\n  a:\n  a:\n'])('refuses %j', (yaml) => {
    expect(() => servicesOf(yaml)).toThrow();
  });
});
