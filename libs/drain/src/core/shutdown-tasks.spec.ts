import { RecordingLogger } from '@roost/kernel/testing';
import {
  CoordinatedShutdown,
  type CoordinatedShutdownOptions,
  Phase,
  ProcessReplacedReason,
} from '@roost/shutdown/core';
import { ManualClock } from '@roost/time/testing';
import { Drain } from './drain.js';
import { FakeTarget } from './fake-target.fixture.js';
import type { DrainOptions } from './options.js';
import { registerDrainTasks } from './shutdown-tasks.js';

const setup = (drainOptions: DrainOptions = {}, shutdownOptions: CoordinatedShutdownOptions = {}) => {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const shutdown = new CoordinatedShutdown({ clock, logger, exit: { process: false }, ...shutdownOptions });
  const drain = new Drain({ clock, logger, ...drainOptions });
  const target = new FakeTarget();
  drain.addTarget(target);
  registerDrainTasks(shutdown, drain);
  const phase = (name: Phase) => shutdown.describe().find((plan) => plan.name === name)!;
  const status = async (name: string) => {
    const report = await shutdown.terminated;
    return report.phases.flatMap(({ tasks }) => tasks).find((task) => task.name === name)?.status;
  };
  return { clock, logger, shutdown, drain, target, phase, status };
};

describe('registerDrainTasks', () => {
  it('registers its steps in the intended phases', () => {
    const { shutdown } = setup({ lameDuckMs: 3_000, maxWaitMs: 8_000, settleMs: 200 });
    const tasks = shutdown.describe().flatMap(({ name, tasks }) => tasks.map((task) => ({ phase: name, ...task })));

    expect(tasks).toEqual([
      { phase: 'before-service-unbind', name: 'lame-duck', declaredBy: 'DrainModule' },
      { phase: 'service-unbind', name: 'refuse-new-work', timeoutMs: 2_000, declaredBy: 'DrainModule' },
      { phase: 'service-requests-done', name: 'finish-work-in-flight', timeoutMs: 8_300, declaredBy: 'DrainModule' },
      { phase: 'service-stop', name: 'close-connections', timeoutMs: 2_000, declaredBy: 'DrainModule' },
    ]);
  });

  it('has no lame duck by default', () => {
    expect(setup().phase(Phase.BeforeServiceUnbind).tasks).toEqual([]);
  });

  it('announces the shutdown before any task has run', async () => {
    const { shutdown, target, drain } = setup();
    let early: string[] = [];
    shutdown.addTask(Phase.BeforeServiceUnbind, 'look', () => {
      early = [...target.calls];
    });
    await shutdown.run();

    expect(early).toEqual(['announce']);
    expect(target.calls).toEqual(['announce', 'shed', 'settle', 'close']);
    expect(drain.isDraining).toBe(true);
  });

  it('does not shorten a phase that has been given more time', () => {
    const shutdown = new CoordinatedShutdown({ logger: new RecordingLogger() });
    shutdown.setPhaseTimeout(Phase.ServiceRequestsDone, 60_000);
    registerDrainTasks(shutdown, new Drain({ logger: new RecordingLogger() }));

    const { timeoutMs } = shutdown.describe().find(({ name }) => name === 'service-requests-done')!;
    expect(timeoutMs).toBe(60_000);
  });

  it('hands over when a successor has started, for targets that support it', async () => {
    const { shutdown, target, drain } = setup();
    const other = new FakeTarget();
    drain.addTarget(Object.assign(other, { handOver: () => Promise.resolve(void other.calls.push('handOver')) }));
    await shutdown.run(new ProcessReplacedReason());

    expect(other.calls).toEqual(['announce', 'handOver', 'settle', 'close']);
    expect(target.calls).toEqual(['announce', 'shed', 'settle', 'close']);
  });

  it('serves for lameDuckMs, then refuses work', async () => {
    const { shutdown, target, clock } = setup({ lameDuckMs: 3_000 });
    const run = shutdown.run();
    await clock.advanceAsync(2_999);
    expect(target.calls).toEqual(['announce']);
    await clock.advanceAsync(1);
    expect(target.calls).toContain('shed');

    expect((await run).status).toBe('completed');
  });

  it('ends the lame duck early when its phase ends', async () => {
    const phases = { [Phase.BeforeServiceUnbind]: { timeoutMs: 1_000 } };
    const { shutdown, target, clock } = setup({ lameDuckMs: 3_000 }, { phases });
    const run = shutdown.run();
    await clock.advanceAsync(1_000);

    expect(target.calls).toEqual(['announce', 'shed', 'settle', 'close']);
    expect((await run).status).toBe('failed');
    expect(clock.pendingTimers).toBe(0);
  });

  it('fails the task when work is stuck, but still closes', async () => {
    const { shutdown, drain, target, clock, status, logger } = setup({ maxWaitMs: 1_000 });
    drain.meter.began();
    target.work = [{ name: 'GET /stuck', ageMs: 7 }];
    void shutdown.run();
    await clock.advanceAsync(1_000);

    expect(await status('finish-work-in-flight')).toBe('failed');
    expect(target.calls).toEqual(['announce', 'shed', 'force', 'close']);
    expect(logger.of('error').join()).toContain('GET /stuck');
  });

  it('reserves time to name stuck work when the phase is shorter than its wait', async () => {
    const phases = { [Phase.ServiceRequestsDone]: { timeoutMs: 500 } };
    const { shutdown, drain, target, clock, status } = setup({ maxWaitMs: 10_000 }, { phases });
    drain.meter.began();
    target.work = [{ name: 'GET /stuck', ageMs: 7 }];
    void shutdown.run();
    await clock.advanceAsync(400);

    expect(await status('finish-work-in-flight')).toBe('failed');
    expect(target.calls).toContain('force');
  });

  it('reports its progress once a second', async () => {
    const { shutdown, drain, target, clock, logger } = setup();
    drain.meter.began();
    target.work = [{ name: 'GET /slow', ageMs: 7 }];
    const run = shutdown.run();
    await clock.advanceAsync(1_000);
    expect(logger.lines.join('\n')).toContain('1 in flight, oldest GET /slow (7 ms)');
    drain.meter.ended();
    await run;
  });
});

describe('phase timeout', () => {
  it('is raised to the time the drain may need', () => {
    const { phase } = setup({ maxWaitMs: 9_000, settleMs: 200, lameDuckMs: 7_000 });

    expect(phase(Phase.ServiceRequestsDone).timeoutMs).toBe(9_300);
    expect(phase(Phase.BeforeServiceUnbind).timeoutMs).toBe(7_100);
  });

  it('is not lowered below the default of all phases', () => {
    const { phase, shutdown } = setup(
      { maxWaitMs: 100, lameDuckMs: 100 },
      { defaultPhaseTimeoutMs: 6_000, timeoutMs: 60_000, gracePeriodMs: 60_000 },
    );

    expect(phase(Phase.ServiceRequestsDone).timeoutMs).toBe(6_000);
    expect(phase(Phase.BeforeServiceUnbind).timeoutMs).toBe(6_000);
    expect(shutdown.budgetWarnings()).toEqual([]);
  });

  it('keeps the value set by the application, with a warning when it is too short', () => {
    const phases = {
      [Phase.ServiceRequestsDone]: { timeoutMs: 5_000 },
      [Phase.BeforeServiceUnbind]: { timeoutMs: 900 },
    };
    const { phase, shutdown } = setup({ lameDuckMs: 1_000 }, { phases });

    expect(phase(Phase.ServiceRequestsDone).timeoutMs).toBe(5_000);
    expect(phase(Phase.BeforeServiceUnbind).timeoutMs).toBe(900);
    expect(shutdown.budgetWarnings()).toEqual([
      'phase before-service-unbind ends after 900 ms, but DrainModule may need 1 s. The drain then refuses new work ' +
        'earlier. Raise the phase timeout, or lower the lameDuckMs of the drain.',
      'phase service-requests-done ends after 5 s, but DrainModule may need 10.1 s. In-flight work is cut off at ' +
        'that point. Raise the phase timeout, or lower the maxWaitMs of the drain.',
    ]);
  });

  it('causes no warning when it is just long enough', () => {
    const phases = { [Phase.ServiceRequestsDone]: { timeoutMs: 10_100 } };

    expect(setup({}, { phases }).shutdown.budgetWarnings()).toEqual([]);
  });
});

describe('in-flight work of the application', () => {
  it('includes the work that the drain counts', () => {
    const { shutdown, drain } = setup();
    shutdown.addInFlightGauge(() => 2);
    drain.meter.began();

    expect(shutdown.inFlight).toBe(3);
  });
});
