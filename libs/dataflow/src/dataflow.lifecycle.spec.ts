import { Test } from '@nestjs/testing';
import { CoordinatedShutdown } from '@roost/shutdown';
import { Dataflow, DataflowEndedReason, span } from './index.js';
import { Apps, RecordingLogger, rootModule, settled } from './nest-app.fixture.js';
import { Servant, servantApp, setup } from './servant.fixture.js';

const apps = new Apps();
afterEach(() => apps.closeAll());

describe('option exit', () => {
  it.each([
    [undefined, 'throw', 'dataflow-ended (forced: servant.obey() failed', 1],
    [undefined, 'fail', 'dataflow-ended (forced: Node "servant" stopped the graph with exit code 42', 42],
    ['failure', 'fail', 'dataflow-ended (forced: ', 42],
    ['always', 'fail', 'dataflow-ended (forced: ', 42],
    ['always', 'done', 'dataflow-ended (completed)', 0],
  ] as const)('%s shuts down the application after %s', async (exit, kind, reason, exitCode) => {
    const { servant, shutdown, logger } = await setup(apps, { exit });
    servant.orders.schedule(kind === 'fail' ? { kind, code: 42 } : { kind });
    const report = await shutdown.terminated;
    expect(report).toMatchObject({ status: 'completed', exitCode });
    expect(report.reason.startsWith(reason)).toBe(true);
    expect(shutdown.reason).toBeInstanceOf(DataflowEndedReason);
    expect(logger.lines).toHaveLength(1);
    if (kind === 'throw') expect(logger.of('error')[0]).toMatch(/no more tea[\s\S]*at .*Servant\.obey/);
  });

  it.each([
    [undefined, 'done', 'completed'],
    ['failure', 'done', 'completed'],
    ['never', 'done', 'completed'],
    ['never', 'throw', 'forced'],
  ] as const)('%s keeps the application running after %s', async (exit, kind, status) => {
    const { servant, shutdown, dataflow } = await setup(apps, { exit });
    servant.orders.schedule({ kind });
    expect(await dataflow.ended).toMatchObject({ status });
    await settled();
    expect(shutdown.reason).toBeUndefined();
  });

  it('applies to a graph that was started manually', async () => {
    const { shutdown, dataflow } = await setup(apps, {
      exit: 'always',
      autoStart: false,
      fast: true,
      timeout: span.ms(5),
    });
    void dataflow.run();
    expect(await shutdown.terminated).toMatchObject({ reason: 'dataflow-ended (stopped)', exitCode: 0 });
  });

  it('applies to a graph that was stopped by force from outside', async () => {
    const { shutdown, dataflow } = await setup(apps);
    await dataflow.forceStop('enough', 9);
    expect(await shutdown.terminated).toMatchObject({ exitCode: 9 });
  });

  it('adds no reason to a shutdown that is already running', async () => {
    const { shutdown } = await setup(apps, { exit: 'always' });
    expect(await shutdown.run()).toMatchObject({ reason: 'unknown', otherReasons: [] });
  });

  it('applies to a graph that could not start', async () => {
    const logger = new RecordingLogger();
    const broken = new Dataflow({ graph: (g) => void g.node(Servant), logger }, () => {
      throw new Error('no kettle');
    });
    const builder = Test.createTestingModule({ imports: [rootModule(servantApp())] });
    const app = apps.track(await builder.overrideProvider(Dataflow).useValue(broken).compile());
    await app.init();
    const report = await app.get(CoordinatedShutdown).run();
    expect(report).toMatchObject({ reason: 'dataflow-ended (no kettle)', exitCode: 1 });
    expect(logger.of('error')).toEqual([expect.stringMatching(/^error: the graph could not run: Error: no kettle\n/)]);
  });
});
