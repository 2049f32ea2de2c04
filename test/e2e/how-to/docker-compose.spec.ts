import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_SHUTDOWN_OPTIONS } from '@roost/shutdown';
import { parseDuration } from '@roost/time';
import { parse } from 'yaml';
import { composeCommand } from '../../support/compose-command.js';
import { blockOf } from '../../support/page-program.js';
import { runCommand } from '../../support/run-command.js';
import { tempDir } from '../../support/temp-dir.js';
import { expectToRun, msIn, rowOf } from './deployed.js';

interface Compose {
  services: {
    orders: {
      environment: Record<string, string>;
      healthcheck: { test: string[] };
      ports: string[];
      stop_grace_period: string;
    };
  };
}

const PAGE = 'docs/how-to/docker-compose.md';
const file = blockOf(PAGE, 'compose.yaml');
const { environment, healthcheck, ports, stop_grace_period } = (parse(file) as Compose).services.orders;
const gracePeriodMs = parseDuration(stop_grace_period);
const dockerfile = blockOf(PAGE, 'Dockerfile');

describe('the compose file', () => {
  it('is accepted by compose', async () => {
    const compose = await composeCommand();
    if (!compose) return void process.stderr.write('no docker compose here: the file is only checked as YAML\n');
    const dir = await tempDir();
    await writeFile(join(dir.path, 'compose.yaml'), file);
    await writeFile(join(dir.path, 'Dockerfile'), dockerfile);
    const [command, ...fixed] = compose;
    const { code, stderr } = await runCommand(command, [...fixed, '-f', 'compose.yaml', 'config', '--quiet'], dir.path);
    await dir.remove();
    expect({ code, output: code === 0 ? '' : stderr }).toEqual({ code: 0, output: '' });
  }, 30_000);

  it('publishes the port of the application on this machine only', () => {
    expect(ports).toEqual([`127.0.0.1:${environment['PORT']}:${environment['PORT']}`]);
  });

  it('boots the application without a warning, and stops it within the grace period', async () => {
    await expectToRun({
      command: JSON.parse(/^CMD (\[.*\])$/m.exec(dockerfile)![1]!) as string[],
      env: environment,
      gracePeriodMs,
      probes: ['/health/ready'],
      healthCheck: healthcheck.test.slice(1),
    });
  }, 60_000);
});

describe('the table of the compose page', () => {
  it('has the values of the file and the default of Roost', () => {
    expect(msIn(rowOf(PAGE, 'stop_grace_period')[0])).toBe(gracePeriodMs);
    expect(rowOf(PAGE, 'ROOST_TIMEOUT_MS').slice(0, 2).map(msIn)).toEqual([
      parseDuration(environment['ROOST_TIMEOUT_MS']!),
      DEFAULT_SHUTDOWN_OPTIONS.timeoutMs,
    ]);
  });
});
