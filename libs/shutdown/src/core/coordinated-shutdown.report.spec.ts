import { Phase } from './phase.js';
import { ClusterDowningReason, UncaughtErrorReason } from './reasons.js';
import { delay, hanging, never, runToEnd, setup, settle } from './shutdown.fixture.js';

describe('CoordinatedShutdown, report', () => {
  it('is plain JSON with all phases in running order', async () => {
    const { shutdown, work, finish } = setup({ phases: { [Phase.ClusterLeave]: { enabled: false } } });
    shutdown.addTask(Phase.ServiceStop, 'a', work('a', 5, new Error('x')));
    shutdown.addTask(Phase.ServiceStop, 'b', never, { timeoutMs: 7 });
    shutdown.addTask(Phase.ClusterLeave, 'c', never);
    const report = await finish();

    expect(JSON.parse(JSON.stringify(report))).toStrictEqual(report);
    expect(report.phases.map((phase) => phase.name)).toEqual(shutdown.describe().map((phase) => phase.name));
    expect(Object.keys(report)).toEqual(['reason', 'otherReasons', 'status', 'exitCode', 'durationMs', 'phases']);
  });

  it('does not change after it has been returned', async () => {
    const { clock, shutdown, work } = setup();
    shutdown.addTask(Phase.ServiceStop, 'late', work('late', 50), { timeoutMs: 10 });
    const running = shutdown.run();
    await clock.advanceAsync(20);
    const report = await running;
    const before = structuredClone(report);
    void shutdown.run(new ClusterDowningReason());
    await clock.advanceAsync(100);

    expect(report).toEqual(before);
  });

  it.each([
    ['0 when everything completed', {}, undefined, false, 0],
    ['onFailure when a task failed', { onFailure: 9 }, undefined, true, 9],
    ['of the reason', { reasons: { 'cluster-downing': 70 } }, new ClusterDowningReason(), false, 70],
    ['of the reason when a task failed', { reasons: { 'cluster-downing': 70 } }, new ClusterDowningReason(), true, 70],
    ['onFailure when the reason has 0', { reasons: { 'cluster-downing': 0 } }, new ClusterDowningReason(), true, 1],
    ['1 after an uncaught error', {}, new UncaughtErrorReason(new Error('x')), false, 1],
  ])('has the exit code %s', async (_, exit, reason, fails, expected) => {
    const { clock, shutdown } = setup({ exit });
    shutdown.addTask(Phase.ServiceStop, 'a', () => (fails ? Promise.reject(new Error('x')) : undefined));
    void shutdown.run(reason);

    expect((await runToEnd(clock, shutdown)).exitCode).toBe(expected);
  });
});

describe('CoordinatedShutdown, describe()', () => {
  it('lists phases in order with their settings and tasks', () => {
    const { shutdown } = setup({ phases: { [Phase.ServiceStop]: { timeoutMs: 7, recover: false, enabled: false } } });
    shutdown.addPhase('own', { dependsOn: [Phase.ServiceStop], before: [Phase.BeforeClusterShutdown] });
    shutdown.addTask('own', 'b', never, { timeoutMs: 5, declaredBy: 'Orders.close' });
    shutdown.addTask('own', 'a', never);
    const plan = shutdown.describe();

    expect(plan.map((phase) => phase.name).slice(3, 6)).toEqual([
      Phase.ServiceStop,
      'own',
      Phase.BeforeClusterShutdown,
    ]);
    expect(plan[3]).toEqual({
      name: 'service-stop',
      dependsOn: [Phase.ServiceRequestsDone],
      status: 'pending',
      timeoutMs: 7,
      recover: false,
      enabled: false,
      tasks: [],
    });
    expect(plan[4]!.tasks).toStrictEqual([
      { name: 'b', timeoutMs: 5, declaredBy: 'Orders.close' },
      { name: 'a', declaredBy: 'addTask()' },
    ]);
  });

  it('returns a copy', () => {
    const { shutdown } = setup();
    shutdown.describe()[3]!.dependsOn.push('x');
    shutdown.describe().pop();

    expect(shutdown.describe()[3]!.dependsOn).toEqual([Phase.ServiceRequestsDone]);
    expect(shutdown.describe()).toHaveLength(12);
  });

  it('shows pending tasks during the run, and none after the end', async () => {
    const { clock, shutdown } = setup();
    const { task } = hanging();
    shutdown.addTask(Phase.ServiceUnbind, 'a', task, { timeoutMs: 10 });
    shutdown.addTask(Phase.ServiceStop, 'b', () => delay(clock, 5));
    const tasks = () => shutdown.describe().flatMap((phase) => phase.tasks.map((one) => one.name));
    expect(tasks()).toEqual(['a', 'b']);
    const statuses = () =>
      shutdown
        .describe()
        .slice(0, 4)
        .map((phase) => phase.status);
    expect(statuses()).toEqual(['pending', 'pending', 'pending', 'pending']);
    void shutdown.run();
    await settle(clock);
    expect(tasks()).toEqual(['b']);
    expect(statuses()).toEqual(['completed', 'running', 'pending', 'pending']);
    await clock.advanceAsync(20);
    expect(statuses()).toEqual(['completed', 'timed-out', 'completed', 'completed']);

    expect([shutdown.state, tasks(), shutdown.totalTimeoutMs]).toEqual(['stopped', [], 0]);
    expect(shutdown.describe()).toHaveLength(12);
  });
});

describe('CoordinatedShutdown, uncaught errors', () => {
  it.each([
    ['an error', new Error('boom'), /^error: uncaught error: Error: boom\n/],
    [
      'a value that cannot be printed',
      Object.create(null) as unknown,
      /^error: uncaught error: a value that cannot be printed$/,
    ],
  ])('runs the phases and exits 1 after %s', async (_, thrown, line) => {
    const { clock, logger, proc, shutdown } = setup({ uncaught: true });
    shutdown.installProcessHooks();
    proc.emit('uncaughtException', thrown);
    await settle(clock);

    expect((await shutdown.terminated).reason).toMatch(/^uncaught-error/);
    expect(logger.lines).toContainEqual(expect.stringMatching(line));
    expect(proc.exits).toEqual([1]);
  });
});
