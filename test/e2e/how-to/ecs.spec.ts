import { DEFAULT_DRAIN_OPTIONS } from '@roost/drain';
import { DEFAULT_SHUTDOWN_OPTIONS } from '@roost/shutdown';
import { parseDuration } from '@roost/time';
import { blockOf } from '../../support/page-program.js';
import { readText } from '../../support/workspace.js';
import { expectToRun, msIn, rowOf } from './deployed.js';

interface TaskDefinition {
  containerDefinitions: {
    command: string[];
    environment: { name: string; value: string }[];
    portMappings: { containerPort: number }[];
    stopTimeout: number;
    healthCheck: { command: string[] };
  }[];
}

const PAGE = 'docs/how-to/ecs.md';
const FARGATE_MAX_SECONDS = 120;
const [container] = (JSON.parse(blockOf(PAGE, 'task-definition.json')) as TaskDefinition).containerDefinitions;
const { command, environment, portMappings, stopTimeout, healthCheck } = container!;
const env = Object.fromEntries(environment.map(({ name, value }) => [name, value]));

describe('the ECS task definition', () => {
  it('maps the port of the application', () => {
    expect(portMappings).toEqual([{ containerPort: Number(env['PORT']) }]);
  });

  it('has a stop timeout that Fargate accepts', () => {
    expect(stopTimeout).toBeLessThanOrEqual(FARGATE_MAX_SECONDS);
  });

  it('boots the application without a warning, and stops it within the stop timeout', async () => {
    const path = /--health-check-path (\S+)/.exec(readText(PAGE))![1]!;
    await expectToRun({
      command,
      env,
      gracePeriodMs: stopTimeout * 1_000,
      probes: [path],
      healthCheck: healthCheck.command.slice(1),
    });
  }, 60_000);
});

describe('the table of the ECS page', () => {
  it('has the values of the task definition and the default of Roost', () => {
    expect(msIn(rowOf(PAGE, 'stopTimeout')[0])).toBe(stopTimeout * 1_000);
    expect(rowOf(PAGE, 'ROOST_TIMEOUT_MS').slice(0, 2).map(msIn)).toEqual([
      parseDuration(env['ROOST_TIMEOUT_MS']!),
      DEFAULT_SHUTDOWN_OPTIONS.timeoutMs,
    ]);
  });

  it('has the deregistration delay of the command, which is longer than the drain waits', () => {
    const delayMs = Number(/timeout_seconds,Value=(\d+)/.exec(readText(PAGE))![1]) * 1_000;
    expect(msIn(rowOf(PAGE, 'deregistration_delay.timeout_seconds')[0])).toBe(delayMs);
    expect(delayMs).toBeGreaterThan(DEFAULT_DRAIN_OPTIONS.maxWaitMs);
  });
});
