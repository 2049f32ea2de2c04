import { Phase } from './phase.js';
import { ApplicationCloseReason, ShutdownReason } from './reasons.js';
import { never, phaseOf, setup, settle, taskStatuses } from './shutdown.fixture.js';

describe('CoordinatedShutdown, order', () => {
  it('runs phases one by one, each after all tasks of the previous one have settled', async () => {
    const { shutdown, trace, work, finish } = setup();
    shutdown.addTask(Phase.ServiceStop, 'c', work('c', 5));
    shutdown.addTask(Phase.ServiceUnbind, 'a', work('a', 20));
    shutdown.addTask(Phase.ServiceUnbind, 'b', work('b', 30));

    const report = await finish();

    expect(trace).toEqual(['a@0', 'b@0', 'c@30']);
    expect(report).toMatchObject({ status: 'completed', exitCode: 0, durationMs: 35 });
  });

  it('starts a phase as soon as its dependencies are done, in graph mode', async () => {
    const { shutdown, trace, work, finish } = setup({
      concurrency: 'graph',
      phases: { a: {}, b: {}, c: { dependsOn: ['a'] }, d: { dependsOn: ['b', 'c'] } },
    });
    const times = { a: 10, b: 100, c: 20, d: 5 };
    for (const [name, ms] of Object.entries(times)) shutdown.addTask(name, name, work(name, ms));
    shutdown.addTask(Phase.ActorSystemTerminate, 'end', work('end', 1));

    const report = await finish();

    expect(trace).toEqual(['a@0', 'b@0', 'c@10', 'd@100', 'end@105']);
    expect(report.durationMs).toBe(106);
  });

  it('runs a phase added from code in its place', async () => {
    const { shutdown, trace, step, finish } = setup();
    shutdown.addPhase('flush', { dependsOn: [Phase.ServiceStop], before: [Phase.BeforeClusterShutdown] });
    shutdown.addTask(Phase.BeforeClusterShutdown, 'after', step('after'));
    shutdown.addTask('flush', 'flush', step('flush'));
    shutdown.addTask(Phase.ServiceStop, 'before', step('before'));

    await finish();

    expect(trace).toEqual(['before@0', 'flush@0', 'after@0']);
  });

  it('passes every task the first reason and its own context', async () => {
    const { clock, shutdown } = setup();
    const seen: unknown[] = [];
    const reason = new ApplicationCloseReason();
    for (const phase of [Phase.ServiceStop, Phase.ClusterLeave]) {
      shutdown.addTask(phase, 't', (given, context) => seen.push([given, context.phase, context.task]));
    }
    void shutdown.run(reason);
    await settle(clock);

    expect(seen).toEqual([
      [reason, 'service-stop', 't'],
      [reason, 'cluster-leave', 't'],
    ]);
    expect(shutdown.reason).toBe(reason);
  });

  it('starts from the given phase and reports the earlier ones as skipped', async () => {
    const { clock, logger, shutdown, trace, step } = setup();
    shutdown.addTask(Phase.ServiceUnbind, 'early', step('early'));
    shutdown.addTask(Phase.ServiceStop, 'from', step('from'));
    shutdown.addTask(Phase.ClusterLeave, 'later', step('later'));
    const running = shutdown.run(undefined, { fromPhase: Phase.ServiceStop });
    await settle(clock);
    const report = await running;

    expect(trace).toEqual(['from@0', 'later@0']);
    expect(report.status).toBe('completed');
    expect(phaseOf(report, Phase.ServiceUnbind)).toEqual({
      name: 'service-unbind',
      status: 'skipped',
      durationMs: 0,
      tasks: [{ name: 'early', status: 'cancelled', durationMs: 0 }],
    });
    expect(logger.lines).toContain('log: phase service-unbind skipped: early did not run');
  });

  it('logs an unknown fromPhase and runs everything', async () => {
    const { clock, logger, shutdown, trace, step } = setup();
    shutdown.addTask(Phase.BeforeServiceUnbind, 'first', step('first'));
    const running = shutdown.run(undefined, { fromPhase: 'nope' });
    await settle(clock);

    expect((await running).status).toBe('completed');
    expect(trace).toEqual(['first@0']);
    expect(
      logger.matching(/^error: run\(\{ fromPhase \}\) refers to the unknown shutdown phase "nope".*Running all phases/),
    ).toHaveLength(1);
  });

  it('runs no task of a disabled phase, logs it, and continues', async () => {
    const { logger, shutdown, trace, step, finish } = setup({
      phases: { [Phase.ServiceStop]: { enabled: false }, [Phase.ClusterLeave]: { enabled: false } },
    });
    shutdown.addTask(Phase.ServiceStop, 'a', step('a'));
    shutdown.addTask(Phase.ServiceStop, 'b', step('b'));
    shutdown.addTask(Phase.ClusterShutdown, 'c', step('c'));
    const report = await finish();

    expect(trace).toEqual(['c@0']);
    expect(report.status).toBe('completed');
    expect(phaseOf(report, Phase.ServiceStop)).toMatchObject({ status: 'disabled', durationMs: 0 });
    expect(taskStatuses(report)).toEqual(['a:cancelled', 'b:cancelled', 'c:completed']);
    expect(logger.matching(/disabled/)).toEqual([
      'log: phase service-stop disabled: a, b did not run',
      expect.stringContaining('shutdown completed'),
    ]);
  });

  it('runs the same function under several names, each once', async () => {
    const { shutdown, finish } = setup();
    let calls = 0;
    const task = () => void calls++;
    shutdown.addTask(Phase.ServiceStop, 'one', task);
    shutdown.addTask(Phase.ServiceStop, 'two', task);
    shutdown.addTask(Phase.ServiceStop, 'three', task).cancel();
    await finish();

    expect(calls).toBe(2);
  });

  it('starts each of 10,000 tasks in 1,000 phases once, with a constant number of events and timers per task', async () => {
    const { clock, shutdown, events, finish } = setup();
    let timers = 0;
    const setTimer = clock.setTimer.bind(clock);
    clock.setTimer = (ms, callback) => {
      timers++;
      return setTimer(ms, callback);
    };
    let calls = 0;
    for (let p = 0; p < 1_000; p++) {
      shutdown.addPhase(`p${p}`, p > 0 ? { dependsOn: [`p${p - 1}`] } : {});
      for (let t = 0; t < 10; t++) shutdown.addTask(`p${p}`, `t${t}`, async () => void calls++);
    }
    const report = await finish();

    expect([calls, report.status]).toEqual([10_000, 'completed']);
    expect(events).toHaveLength(2 * 10_000 + 2 * 1_012 + 3);
    expect(timers).toBe(1_000 + 2);
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not iterate over all running tasks for each of 10,000 that fail at once', async () => {
    const { shutdown, finish } = setup();
    for (let i = 0; i < 10_000; i++) shutdown.addTask(Phase.ServiceStop, `t${i}`, () => shutdown.run());
    let walks = 0;
    const original = Set.prototype[Symbol.iterator];
    Set.prototype[Symbol.iterator] = function (this: Set<unknown>) {
      if (this.size > 1_000) walks++;
      return original.call(this);
    };
    try {
      const report = await finish();
      expect(phaseOf(report, Phase.ServiceStop).tasks.every((task) => task.status === 'failed')).toBe(true);
    } finally {
      Set.prototype[Symbol.iterator] = original;
    }
    expect(walks).toBeLessThan(10);
  });
});

describe('CoordinatedShutdown, once', () => {
  it('returns the same promise to every caller, and separates the first reason from the others', async () => {
    class AdminReason extends ShutdownReason {}
    const { clock, shutdown, trace, work } = setup();
    shutdown.addTask(Phase.ServiceStop, 'a', work('a', 10));
    const first = new ApplicationCloseReason();
    const running = shutdown.run(first);

    expect(shutdown.run(new AdminReason())).toBe(running);
    expect(shutdown.run()).toBe(running);
    expect(shutdown.run(first)).toBe(running);
    expect(shutdown.run('text' as unknown as ShutdownReason, { fromPhase: Phase.ClusterLeave })).toBe(running);
    await clock.advanceAsync(10);
    const report = await running;

    expect(trace).toEqual(['a@0']);
    expect([report.reason, report.otherReasons]).toEqual(['application-close', ['admin', 'unknown (text)']]);
    expect(shutdown.reason).toBe(first);
    expect(shutdown.run()).toBe(running);
  });

  it('returns the same promise after the end and runs nothing again', async () => {
    const { clock, shutdown, trace, step, finish } = setup();
    shutdown.addTask(Phase.ServiceStop, 'a', step('a'));
    const report = await finish();
    const again = await shutdown.run(new ApplicationCloseReason());
    await settle(clock);

    expect(again).toMatchObject({ reason: report.reason, status: 'completed', otherReasons: [] });
    expect([trace, report.otherReasons]).toEqual([['a@0'], []]);
  });

  it('is stopping from the call of run() and stopped at the end', async () => {
    const { shutdown, finish } = setup();
    const states: string[] = [shutdown.state];
    shutdown.addTask(Phase.ServiceStop, 'a', () => void states.push(shutdown.state));
    const ending = finish();
    states.push(shutdown.state);
    await ending;
    states.push(shutdown.state);

    expect(states).toEqual(['running', 'stopping', 'stopping', 'stopped']);
  });

  it('starts within the call of run(), but starts no task before run() returns', async () => {
    const { clock, shutdown, events, trace, step } = setup();
    shutdown.addTask(Phase.BeforeServiceUnbind, 'a', step('a'));
    void shutdown.run();

    expect([events.map((event) => event.type), trace]).toEqual([['shutdown.started'], []]);
    await settle(clock);
    expect(trace).toEqual(['a@0']);
  });

  it('accepts a reason that cannot be printed', async () => {
    class RudeReason extends ShutdownReason {
      override toString(): string {
        throw new Error('no');
      }
    }
    const { clock, shutdown } = setup();
    const running = shutdown.run(new RudeReason());
    expect(() => void shutdown.run(new RudeReason())).not.toThrow();
    await settle(clock);

    expect(await running).toMatchObject({
      reason: 'a value that cannot be printed',
      otherReasons: ['a value that cannot be printed'],
      status: 'completed',
    });
  });

  it('does not touch the process for a plain run()', async () => {
    const { proc, shutdown, finish } = setup();
    shutdown.addTask(Phase.ServiceStop, 'bad', () => Promise.reject(new Error('x')));
    await finish();

    expect([proc.exits, proc.exitCode, proc.eventNames()]).toEqual([[], undefined, []]);
  });

  it('uses the global process by default', async () => {
    const { CoordinatedShutdown } = await import('./coordinated-shutdown.js');
    const { clock, logger } = setup();
    const before = process.eventNames().length;
    const shutdown = new CoordinatedShutdown({ clock, logger });
    shutdown.addTask(Phase.ServiceStop, 'hangs', never, { timeoutMs: 5 });
    void shutdown.run();
    await clock.advanceAsync(5);

    expect((await shutdown.terminated).status).toBe('failed');
    expect(process.eventNames()).toHaveLength(before);
  });
});
