import { AppProcess, type AppResult } from '../../support/app-process.js';
import { type Broker, freePort, installBrokers, startNats } from '../../support/brokers.js';
import { PipelineServices, probe, serviceEnv, startService } from './pipeline-services.js';
import { ProgramGroup } from '../workers/launch/support/program-group.js';

const { jest } = import.meta;
jest.setTimeout(30_000);

const MAIN = 'apps/pipeline/dist/main.js';
const CLEAN: AppResult = { code: 0, signal: null };
const FAILED: AppResult = { code: 1, signal: null };
const ALL_CLEAN = { source: CLEAN, left: CLEAN, right: CLEAN, join: CLEAN, sink: CLEAN, coordinator: CLEAN };

/** Longer than a test waits, so that a run that ends earlier was stopped. */
const LONG = 60;

let broker: Broker | undefined;
beforeAll(() => installBrokers(), 300_000);
afterEach(async () => {
  await ProgramGroup.killAll();
  await broker?.stop();
});

const flowing = async (): Promise<PipelineServices> => {
  broker = await startNats();
  const services = new PipelineServices(broker.port, LONG);
  await services.flowing();
  return services;
};

describe('pipeline', () => {
  it('computes the same in local processes and in services with a late broker', async () => {
    const local = new ProgramGroup(MAIN, { PIPELINE_SECONDS: '0.5' });
    expect(await local.end()).toEqual(CLEAN);
    expect(local.app.lines(/^journal/)).toEqual([expect.stringMatching(/ 6 readings: /)]);
    const [digest, ...more] = local.app.lines(/^digest [\da-f]{16}$/);
    expect(digest).toBeDefined();
    expect(more).toEqual([]);

    const port = await freePort();
    const services = new PipelineServices(port, 0.5);
    await services.get('sink').line(/waiting for the broker: .*connection refused/);
    broker = await startNats(port);
    expect(await services.end()).toEqual(ALL_CLEAN);
    expect(services.get('coordinator').lines(/^digest /)).toEqual([digest]);
    expect(services.get('sink').lines(/^journal/)).toEqual(local.app.lines(/^journal/));
    expect(new Set(services.stopTags())).toEqual(new Set(['(500 ms, 0)']));
  });

  it('stops local processes at one tag on Ctrl+C, and leaves no process behind', async () => {
    const local = new ProgramGroup(MAIN, { PIPELINE_SECONDS: String(LONG) });
    await local.app.line(/^journal +1 s/);
    expect(local.processes()).toHaveLength(6);
    await local.killGroup('SIGINT');
    expect(await local.end()).toEqual(CLEAN);
    const stops = local.app.lines(/the graph stopped at/).map((line) => /\(.*?\)/.exec(line)![0]);
    expect(stops).toHaveLength(6);
    expect(new Set(stops).size).toBe(1);
    expect(local.app.lines(/^journal +\d+ readings/)).toHaveLength(1);
  });
});

describe('service of the pipeline', () => {
  it('is ready while the graph runs, and SIGTERM to one service stops all at one tag', async () => {
    const services = await flowing();
    expect(await services.readiness()).toEqual([200, 200, 200, 200, 200, 200]);
    services.get('right').kill('SIGTERM');
    expect(await services.end()).toEqual(ALL_CLEAN);
    const tags = new Set(services.stopTags());
    expect([...tags]).toEqual([expect.stringMatching(/^\(.*s, \d+\)$/)]);
    expect(services.get('sink').lines(/^journal +\d+ readings/)).toHaveLength(1);
    expect(services.get('coordinator').lines(/^digest /)).toHaveLength(1);
  });

  it('makes the others fail with an error that names it when it is killed', async () => {
    const services = await flowing();
    services.get('left').kill('SIGKILL');
    const killed = { code: null, signal: 'SIGKILL' };
    const others = { source: FAILED, right: FAILED, join: FAILED, sink: FAILED, coordinator: FAILED };
    expect(await services.end()).toEqual({ ...others, left: killed });
    for (const name of ['source', 'right', 'join', 'sink', 'coordinator'] as const) {
      expect(services.get(name).output).toMatch(/ERROR .*Process "left" \(nodes: smooth\) is lost/);
    }
    expect(services.get('coordinator').lines(/^digest /)).toEqual([]);
  });

  it('waits for the broker, stays alive, and can be stopped while it waits', async () => {
    const service = startService({ ...serviceEnv(await freePort(), LONG), PIPELINE_PROCESS: 'join' });
    await service.line(/waiting for the broker/);
    expect((await probe(service, 'live')).status).toBe(200);
    service.kill('SIGTERM');
    expect(await service.end()).toEqual(CLEAN);
  });
});

describe('an invalid environment', () => {
  it.each<[string, Record<string, string>, string]>([
    [MAIN, { PIPELINE_SECONDS: 'soon' }, 'PIPELINE_SECONDS is "soon": use a number of seconds from 0.1 to 3600.\n'],
    [
      'apps/pipeline/dist/service.js',
      {
        PIPELINE_SECONDS: '0',
        PIPELINE_PROCESS: 'middle',
        NATS_URL: 'nats://me:secret@here',
        PROBE_PORT: '70000',
        PROBE_HOST: 'a b',
      },
      'PIPELINE_SECONDS is "0": use a number of seconds from 0.1 to 3600.\n' +
        'PIPELINE_PROCESS is "middle": use one of source, left, right, join, sink, coordinator.\n' +
        'NATS_URL is "nats://...@here": use an address such as nats://127.0.0.1:4222.\n' +
        'PROBE_PORT is "70000": use a port from 0 (any free one) to 65535.\n' +
        'PROBE_HOST is "a b": use an address such as 0.0.0.0.\n',
    ],
  ])('is reported by %s in one line per fault', async (program, env, output) => {
    const app = new AppProcess(program, { env });
    expect(await app.end()).toEqual(FAILED);
    expect(app.output).toBe(output);
  });
});
