import { Injectable } from '@nestjs/common';
import { CoordinatedShutdown, Phase, ProcessTerminateReason, type ShutdownReport } from '@roost/shutdown';
import { ManualClock } from '@roost/time/testing';
import { Dataflow, DataflowNode } from './index.js';
import { Apps, RecordingLogger, settled } from './nest-app.fixture.js';
import { partsOf, Servant, servantApp, setup } from './servant.fixture.js';

const apps = new Apps();
afterEach(() => apps.closeAll());

const taskOf = ({ phases }: ShutdownReport) =>
  phases.find(({ name }) => name === Phase.ServiceStop)!.tasks.find(({ name }) => name === 'stop-dataflow');

const timeoutOf = (shutdown: CoordinatedShutdown): number =>
  shutdown.describe().find(({ name }) => name === Phase.ServiceStop)!.timeoutMs;

describe('shutdown of an application with a graph', () => {
  it('has one task for the graph', async () => {
    const { shutdown } = await setup(apps);
    const tasks = shutdown
      .describe()
      .flatMap(({ name, tasks }) => tasks.map((task) => [name, task.name, task.declaredBy]));
    expect(tasks).toEqual([['service-stop', 'stop-dataflow', 'DataflowModule']]);
  });

  it('handles all earlier input, and shuts down every node', async () => {
    const { servant, shutdown, dataflow, logger } = await setup(apps);
    const before = shutdown.addTask(Phase.ServiceRequestsDone, 'request', () => {
      for (const text of ['a', 'b', 'c']) servant.orders.schedule({ kind: 'note', text });
    });
    expect(before.phase).toBe('service-requests-done');
    const report = await shutdown.run();
    expect(report.status).toBe('completed');
    expect(servant.notes).toEqual(['a', 'b', 'c', 'end']);
    expect(servant.orders.schedule({ kind: 'note', text: 'd' })).toBe(false);
    expect(dataflow.report).toMatchObject({ status: 'stopped', exitCode: 0 });
    expect(logger.of('log')).toEqual([expect.stringMatching(/^log: the graph stopped at /)]);
  });

  it('waits for a pending reaction', async () => {
    const { servant, shutdown } = await setup(apps);
    servant.orders.schedule({ kind: 'wait' });
    await settled();
    const run = shutdown.run();
    await settled();
    expect(servant.notes).toEqual([]);
    servant.gate.resolve();
    expect((await run).status).toBe('completed');
    expect(servant.notes).toEqual(['waited', 'end']);
  });

  it('logs what it waits for', async () => {
    const clock = new ManualClock();
    const shutdownLogger = new RecordingLogger();
    const { servant, shutdown } = await setup(apps, {}, { shutdown: { clock, logger: shutdownLogger } });
    servant.orders.schedule({ kind: 'wait' });
    await settled();
    const run = shutdown.run();
    await clock.advanceAsync(1_000);
    expect(shutdownLogger.lines.join('\n')).toMatch(
      /waiting for service-stop\/stop-dataflow.*waiting for servant\.obey\(\)/,
    );
    servant.gate.resolve();
    await run;
  });

  it('stops a graph by force when it does not stop in time, names the reaction and fails', async () => {
    const clock = new ManualClock();
    const { servant, shutdown, dataflow, logger } = await setup(
      apps,
      { stopTimeoutMs: 3_000 },
      { shutdown: { clock } },
    );
    servant.orders.schedule({ kind: 'hang' });
    await settled();
    const run = shutdown.run();
    await clock.advanceAsync(2_999);
    expect(dataflow.state).toBe('stopping');
    expect(servant.notes).toEqual([]);
    await clock.advanceAsync(1);
    const report = await run;
    expect(report).toMatchObject({ status: 'failed', exitCode: 1 });
    expect(taskOf(report)).toMatchObject({
      status: 'failed',
      error: {
        code: 'DATAFLOW_STUCK',
        message: expect.stringContaining('after 3 s: waiting for servant.obey()') as string,
      },
    });
    expect(servant.notes).toEqual(['end']);
    expect(dataflow.report).toMatchObject({ status: 'forced' });
    expect(logger.of('error')).toHaveLength(1);
  });

  it('names stuck nodes even in a phase that is too short, with shutdown methods that hang', async () => {
    @DataflowNode()
    class Stubborn extends Servant {
      override end(): Promise<void> {
        return new Promise(() => undefined);
      }
    }
    const clock = new ManualClock();
    const phases = { [Phase.ServiceStop]: { timeoutMs: 1_000 } };
    const app = await apps.context({
      graph: (g) => void g.node(Stubborn),
      providers: [Stubborn],
      shutdown: { clock, phases },
      dataflow: { stopTimeoutMs: 5_000 },
    });
    await settled();
    app.get(Stubborn).orders.schedule({ kind: 'hang' });
    await settled();
    const run = app.get(CoordinatedShutdown).run();
    await clock.advanceAsync(950);
    expect(taskOf(await run)).toMatchObject({ status: 'failed', error: { code: 'DATAFLOW_STUCK' } });
    // The rest of the stop by force ends on the clock of the graph.
    await (app.get(Dataflow).options.clock as ManualClock).advanceAsync(2_000);
  });

  it('reports a graph that fails during its stop', async () => {
    const { servant, shutdown, dataflow } = await setup(apps);
    shutdown.addTask(Phase.ServiceRequestsDone, 'request', () => void servant.orders.schedule({ kind: 'throw' }));
    const report = await shutdown.run();
    expect(report).toMatchObject({ status: 'failed', otherReasons: [] });
    expect(taskOf(report)).toMatchObject({ status: 'failed', error: { code: 'DATAFLOW_REACTION_FAILED' } });
    expect(dataflow.state).toBe('stopped');
  });

  it('reports a graph that fails after shutdown has begun and before its stop', async () => {
    const { servant, shutdown, dataflow } = await setup(apps, { exit: 'never' });
    shutdown.addTask(Phase.ServiceUnbind, 'request', async () => {
      servant.orders.schedule({ kind: 'throw' });
      await dataflow.ended;
    });
    expect(taskOf(await shutdown.run())).toMatchObject({
      status: 'failed',
      error: { code: 'DATAFLOW_REACTION_FAILED' },
    });
  });

  it('does not report a graph that failed before', async () => {
    const { servant, shutdown, dataflow } = await setup(apps, { exit: 'never' });
    servant.orders.schedule({ kind: 'throw' });
    await dataflow.ended;
    expect(await shutdown.run()).toMatchObject({ status: 'completed', exitCode: 0 });
  });

  it('has nothing to stop when the graph was not started', async () => {
    const { servant, shutdown } = await setup(apps, { autoStart: false });
    expect((await shutdown.run()).status).toBe('completed');
    expect(servant.notes).toEqual([]);
  });

  it('shares a stop that was requested elsewhere', async () => {
    const { shutdown, dataflow } = await setup(apps);
    const [grant] = await Promise.all([dataflow.requestShutdown(), shutdown.run()]);
    expect(dataflow.report).toMatchObject({ status: 'stopped', stopTag: grant.stopTag });
  });

  it("stops the graph in Nest's hooks when its phase is disabled", async () => {
    const phases = { [Phase.ServiceStop]: { enabled: false } };
    const { app, servant, dataflow } = await setup(apps, {}, { shutdown: { phases } });
    await app.close();
    expect([dataflow.state, servant.notes]).toEqual(['stopped', ['end']]);
  });

  it.each([
    ['hang', 'DATAFLOW_STUCK'],
    ['throw', 'DATAFLOW_REACTION_FAILED'],
  ] as const)("reports a failed stop in Nest's hooks: %s", async (kind, code) => {
    const phases = { [Phase.ServiceStop]: { enabled: false } };
    const app = await apps.http(servantApp({ shutdown: { phases }, dataflow: { stopTimeoutMs: 20 } }));
    await app.init();
    const { servant, shutdown } = partsOf(app);
    await settled();
    shutdown.addTask(Phase.ActorSystemTerminate, 'last', () => void servant.orders.schedule({ kind }));
    await app.close();
    const { hooks } = await shutdown.terminated;
    const hook = hooks!.find(({ name }) => name === 'DataflowLifecycle.onModuleDestroy');
    expect(hook).toMatchObject({ status: 'failed', error: { code } });
  });

  it("does not report in Nest's hooks what its phase has already reported", async () => {
    const app = await apps.http(servantApp({ dataflow: { stopTimeoutMs: 20 } }));
    await app.init();
    const { servant, shutdown } = partsOf(app);
    servant.orders.schedule({ kind: 'hang' });
    await settled();
    await app.close();
    const { status, hooks } = await shutdown.terminated;
    expect(status).toBe('failed');
    expect(hooks).toContainEqual(
      expect.objectContaining({ name: 'DataflowLifecycle.onModuleDestroy', status: 'completed' }),
    );
  });

  it('keeps a graph from starting when a signal arrived during the boot', async () => {
    @Injectable()
    class SlowToBoot {
      onModuleInit(): void {
        process.emit('SIGUSR2', 'SIGUSR2');
      }
    }
    const app = await apps.http(
      servantApp({ providers: [Servant, SlowToBoot], shutdown: { signals: ['SIGUSR2'], exit: { process: false } } }),
    );
    await app.init();
    const { shutdown, dataflow } = partsOf(app);
    expect(shutdown.reason).toBeInstanceOf(ProcessTerminateReason);
    await shutdown.terminated;
    expect(dataflow.state).toBe('ready');
  });
});

describe('time for the stop', () => {
  it('causes no budget warning with all defaults', async () => {
    const shutdownLogger = new RecordingLogger();
    const { logger, shutdown } = await setup(apps, {}, { shutdown: { logger: shutdownLogger } });
    expect([shutdownLogger.lines, logger.lines, timeoutOf(shutdown)]).toEqual([[], [], 5_000]);
  });

  it('is what the other phases leave, up to the default', async () => {
    for (const [timeoutMs, expected] of [
      [30_000, 12_100],
      [10_000, 9_000],
      [4_000, 5_000],
    ] as const) {
      const { shutdown } = await setup(apps, {}, { shutdown: { timeoutMs } });
      const run = shutdown.run();
      expect(timeoutOf(shutdown)).toBe(expected);
      await run;
    }
  });

  it('lengthens the phase when it is configured', async () => {
    const { shutdown } = await setup(apps, { stopTimeoutMs: 15_000, forceTimeoutMs: 1_000 });
    expect(timeoutOf(shutdown)).toBe(16_100);
  });

  it('is limited by the configured phase, with a warning when that is too short', async () => {
    for (const [stopTimeoutMs, warnings] of [
      [1_000, 0],
      [5_000, 1],
      [undefined, 0],
    ] as const) {
      const phases = { [Phase.ServiceStop]: { timeoutMs: 4_000 } };
      const shutdownLogger = new RecordingLogger();
      const { shutdown } = await setup(apps, { stopTimeoutMs }, { shutdown: { phases, logger: shutdownLogger } });
      expect(shutdownLogger.of('warn')).toHaveLength(warnings);
      expect(timeoutOf(shutdown)).toBe(4_000);
    }
  });
});
