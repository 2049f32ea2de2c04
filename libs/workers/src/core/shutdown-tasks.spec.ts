import { deferred } from '@roost/kernel';
import { RecordingLogger } from '@roost/kernel/testing';
import { CoordinatedShutdown, type CoordinatedShutdownOptions, Phase, type ShutdownReport } from '@roost/shutdown/core';
import { sleep } from '@roost/time';
import type { WorkersOptions } from './options.js';
import type { RunToken } from './run/run-token.js';
import { registerWorkersTasks } from './shutdown-tasks.js';
import { never, setup as setupWorkers } from './workers.fixture.js';

function setup(options: CoordinatedShutdownOptions = {}, workersOptions: WorkersOptions = {}) {
  const fixture = setupWorkers(workersOptions);
  const { clock, workers } = fixture;
  const shutdownLogger = new RecordingLogger();
  const shutdown = new CoordinatedShutdown({ clock, logger: shutdownLogger, signals: [], ...options });
  registerWorkersTasks(shutdown, workers, 'the test');
  const timeoutOf = (phase: string) => shutdown.describe().find(({ name }) => name === phase)!.timeoutMs;
  /** Runs the shutdown to completion, timer by timer. */
  const finish = async (): Promise<ShutdownReport> => {
    let report: ShutdownReport | undefined;
    void shutdown.run();
    void shutdown.terminated.then((value) => (report = value));
    await fixture.settle();
    while (!report) if (!(await clock.runNextAsync())) throw new Error('it hangs');
    return report;
  };
  return { ...fixture, shutdown, shutdownLogger, timeoutOf, finish };
}

/** `name: status` of the tasks that did not complete, with the codes of their errors. */
const failuresIn = ({ phases }: ShutdownReport) =>
  phases
    .flatMap(({ tasks }) => tasks)
    .filter(({ status }) => status !== 'completed')
    .map(({ name, status, error }) => `${name}: ${status} ${error?.code}`);

const untilStopped = (run: RunToken) => run.sleep(Infinity);

describe('registerWorkersTasks', () => {
  it('stops processes in service-unbind, waits for them, then closes', async () => {
    const { clock, workers, shutdown, logger, run, settle } = setup();
    const step = deferred();
    const { token } = run(async () => {
      await step.promise;
    });
    const states: string[] = [];
    for (const phase of [Phase.BeforeServiceUnbind, Phase.ServiceStop, Phase.BeforeClusterShutdown]) {
      shutdown.addTask(phase, 'look', () => void states.push(`${workers.state} ${token.isRunning()}`));
    }
    void shutdown.run();
    await settle();
    expect(states).toEqual(['running true']);
    expect(workers.state).toBe('stopping');
    expect(token.isRunning()).toBe(false);

    await clock.advanceAsync(3_000);
    expect(states).toHaveLength(1);
    step.resolve();
    await expect(shutdown.terminated).resolves.toMatchObject({ status: 'completed' });
    expect(states).toEqual(['running true', 'stopping false', 'stopped false']);
    expect(logger.lines).toEqual(['log: all background processes have stopped']);
  });

  it('logs nothing without processes', async () => {
    const { logger, finish } = setup();
    await expect(finish()).resolves.toMatchObject({ status: 'completed', durationMs: 0 });
    expect(logger.lines).toEqual([]);
  });

  it('reports what it waits for', async () => {
    const { clock, shutdown, shutdownLogger, run } = setup({}, { maxWaitMs: 5_000 });
    run(async (token) => {
      token.isRunning();
      token.hold('order 42');
      await never();
    });
    void shutdown.run();
    await clock.advanceAsync(1_000);
    expect(shutdownLogger.lines.at(-1)).toMatch(
      /finish-background-processes \(1 s: worker: step 1 \(order 42 for 1 s\)\)/,
    );
    await clock.advanceAsync(10_000);
    expect(shutdown.state).toBe('stopped');
  });

  it('fails once when a process is stuck', async () => {
    const { clock, run, finish } = setup({}, { maxWaitMs: 5_000 });
    run(never);
    const report = await finish();
    expect(failuresIn(report)).toEqual(['finish-background-processes: failed WORKERS_STUCK']);
    expect(clock.monotonic()).toBe(5_000);
  });

  it('fails once when a process fails while stopping', async () => {
    const { run, finish } = setup();
    run(async (token) => {
      await token.sleep(Infinity);
      throw new Error('lost');
    });
    expect(failuresIn(await finish())).toEqual(['finish-background-processes: failed WORKERS_FAILED_WHILE_STOPPING']);
  });

  it('does not cut off a process with a longer wait than the others', async () => {
    const times = { timeoutMs: 120_000, gracePeriodMs: 120_000 };
    const { clock, run, timeoutOf, shutdown, finish } = setup(times, { maxWaitMs: 1_000 });
    run((token) => untilStopped(token).then(() => sleep(50_000, { clock })), {
      maxWaitMs: 60_000,
    });
    expect(timeoutOf(Phase.ServiceRequestsDone)).toBe(5_000);
    expect(shutdown.budgetWarnings()).toEqual([]);
    expect(timeoutOf(Phase.ServiceRequestsDone)).toBe(60_100);
    await expect(finish()).resolves.toMatchObject({ status: 'completed', durationMs: 50_000 });
  });

  it('also reserves time for a worker added after the boot', async () => {
    const { clock, workers, finish } = setup({ timeoutMs: 120_000 }, { maxWaitMs: 1_000 });
    workers.start();
    workers.add({
      name: 'late',
      maxWaitMs: 60_000,
      handle: (token) => untilStopped(token).then(() => sleep(50_000, { clock })),
    });
    await expect(finish()).resolves.toMatchObject({ status: 'completed', durationMs: 50_000 });
  });

  it('waits for work that a request starts between the phases', async () => {
    const { clock, workers, shutdown, finish } = setup();
    let done = false;
    shutdown.addTask(Phase.ServiceRequestsDone, 'last request', async () => {
      await sleep(500, { clock });
      void workers.runGracefully(async () => {
        await sleep(1_000, { clock });
        done = true;
      });
    });
    await expect(finish()).resolves.toMatchObject({ status: 'completed' });
    expect(done).toBe(true);
    await expect(workers.runGracefully(() => 1)).rejects.toMatchObject({ code: 'WORKERS_STOPPED' });
  });

  it('names work that a request started too late', async () => {
    const { clock, workers, shutdown, finish } = setup();
    shutdown.addTask(Phase.ServiceRequestsDone, 'last request', async () => {
      await sleep(500, { clock });
      void workers.runGracefully(never, { name: 'report' });
    });
    const report = await finish();
    expect(failuresIn(report)).toEqual(['close-workers: failed WORKERS_STUCK']);
    expect(workers.state).toBe('stopped');
    expect(report.durationMs).toBe(2_400);
  });
});

describe('in-flight work of registerWorkersTasks', () => {
  it('is added to the in-flight work of the shutdown', async () => {
    const { shutdown, workers } = setup();
    shutdown.addInFlightGauge(() => 3);
    const work = deferred();
    const done = workers.runGracefully(() => work.promise);
    expect(shutdown.inFlight).toBe(4);
    work.resolve();
    await done;
    expect(shutdown.inFlight).toBe(3);
  });
});

describe('phase timeout of registerWorkersTasks', () => {
  it('does not change while all waits are the default', () => {
    const { timeoutOf, shutdown } = setup();
    expect(timeoutOf(Phase.ServiceRequestsDone)).toBe(5_000);
    expect(shutdown.budgetWarnings()).toEqual([]);
  });

  it('fills the time that the other phases leave when the shutdown begins', async () => {
    const { clock, shutdown, timeoutOf, run } = setup();
    shutdown.addTask(Phase.ActorSystemTerminate, 'actors', () => undefined, { timeoutMs: 4_000 });
    run(never);
    void shutdown.run();
    // 30 s minus 1 s for hooks, 2 s for each of the two short steps, and 4 s for the actors.
    expect(timeoutOf(Phase.ServiceRequestsDone)).toBe(21_000);
    await clock.advanceAsync(40_000);
    await expect(shutdown.terminated).resolves.toMatchObject({ status: 'failed', durationMs: 20_900 });
  });

  it('covers a wait that was set', () => {
    const { timeoutOf } = setup({}, { maxWaitMs: 9_000 });
    expect(timeoutOf(Phase.ServiceRequestsDone)).toBe(9_100);
  });

  it('does not change when the phase is long enough', () => {
    const { timeoutOf } = setup({ defaultPhaseTimeoutMs: 7_000 }, { maxWaitMs: 1_000 });
    expect(timeoutOf(Phase.ServiceRequestsDone)).toBe(7_000);
  });

  it('keeps the value of the application, with a warning when it is too short', async () => {
    const phases = { [Phase.ServiceRequestsDone]: { timeoutMs: 3_000 } };
    const { shutdown, timeoutOf, run, finish } = setup({ phases }, { maxWaitMs: 9_000 });
    run(never);
    expect(shutdown.budgetWarnings()).toEqual([
      'phase service-requests-done ends after 3 s, but the test may need 9 s. The shutdown does not wait longer for ' +
        'background processes. Raise the phase timeout, or lower maxWaitMs.',
    ]);
    expect(timeoutOf(Phase.ServiceRequestsDone)).toBe(3_000);
    expect(failuresIn(await finish())).toEqual(['finish-background-processes: failed WORKERS_STUCK']);
  });

  it('causes no warning when the application has set enough, or all waits are the default', () => {
    const phases = { [Phase.ServiceRequestsDone]: { timeoutMs: 3_000 } };
    for (const options of [{ maxWaitMs: 3_000 }, {}]) {
      const { shutdown } = setup({ phases }, options);
      expect(shutdown.budgetWarnings()).toEqual([]);
    }
  });

  it('causes a warning for a wait that a worker sets later', () => {
    const phases = { [Phase.ServiceRequestsDone]: { timeoutMs: 3_000 } };
    const { shutdown, workers } = setup({ phases });
    workers.add({ name: 'slow', handle: never, maxWaitMs: 4_000 });
    expect(shutdown.budgetWarnings()).toEqual([expect.stringContaining('may need 4 s')]);
  });
});
