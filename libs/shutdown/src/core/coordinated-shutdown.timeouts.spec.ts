import { InvalidTimeoutError } from './errors/invalid-timeout.error.js';
import { Phase } from './phase.js';
import {
  delay,
  hanging,
  never,
  phaseOf,
  setup,
  settle,
  taskOf,
  taskStatuses,
  failingOnUnhandled,
} from './shutdown.fixture.js';

describe('CoordinatedShutdown, phase and task timeouts', () => {
  it('continues when a phase times out', async () => {
    const { shutdown, trace, work, finish } = setup({ phases: { [Phase.ServiceStop]: { timeoutMs: 50 } } });
    shutdown.addTask(Phase.ServiceStop, 'hangs', never);
    shutdown.addTask(Phase.ServiceStop, 'fine', work('fine', 30));
    shutdown.addTask(Phase.ClusterLeave, 'next', work('next', 1));
    const report = await finish();

    expect(trace).toEqual(['fine@0', 'next@50']);
    expect(taskStatuses(report)).toEqual(['hangs:timed-out', 'fine:completed', 'next:completed']);
    expect(report).toMatchObject({ status: 'failed', exitCode: 1, durationMs: 51 });
    expect(taskOf(report, 'hangs')).toEqual({
      name: 'hangs',
      status: 'timed-out',
      durationMs: 50,
      error: {
        code: 'SHUTDOWN_TASK_TIMEOUT',
        message: expect.stringContaining(
          'Shutdown task "hangs" in phase "service-stop" was still running after 50 ms and was abandoned at the phase timeout.',
        ),
      },
    });
  });

  it('uses defaultPhaseTimeoutMs for built-in and declared phases without a timeout', async () => {
    const { shutdown, finish } = setup({ defaultPhaseTimeoutMs: 70, phases: { own: {}, quick: { timeoutMs: 5 } } });
    shutdown.addPhase('code', {});
    for (const phase of [Phase.ServiceStop, 'own', 'quick', 'code']) shutdown.addTask(phase, phase, never);
    const report = await finish();

    expect([Phase.ServiceStop, 'own', 'quick', 'code'].map((name) => phaseOf(report, name).durationMs)).toEqual([
      70, 70, 5, 70,
    ]);
  });

  it('ends a task at its own timeout while the phase waits for the others', async () => {
    const { shutdown, work, finish } = setup();
    shutdown.addTask(Phase.ServiceStop, 'own', never, { timeoutMs: 10 });
    shutdown.addTask(Phase.ServiceStop, 'other', work('other', 40));
    const report = await finish();

    expect(phaseOf(report, Phase.ServiceStop)).toMatchObject({
      status: 'timed-out',
      durationMs: 40,
      tasks: [{ durationMs: 10 }, { status: 'completed' }],
    });
  });

  it('aborts the signal of each task at the task, phase or overall deadline, whichever is first', async () => {
    const { clock, shutdown } = setup({ timeoutMs: 100, phases: { [Phase.ServiceUnbind]: { timeoutMs: 60 } } });
    const [own, phase, overall] = [hanging(), hanging(), hanging()];
    shutdown.addTask(Phase.ServiceUnbind, 'own', own.task, { timeoutMs: 20 });
    shutdown.addTask(Phase.ServiceUnbind, 'phase', phase.task, { timeoutMs: 2_000 });
    shutdown.addTask(Phase.ServiceStop, 'overall', overall.task);
    void shutdown.run();
    await settle(clock);
    const aborts: string[] = [];
    const watch = (one: typeof own) =>
      one.context().signal.addEventListener('abort', () => aborts.push(`${one.context().task}@${clock.monotonic()}`));
    watch(own);
    watch(phase);
    expect([own.context().deadline.left(), phase.context().deadline.left()]).toEqual([20, 60]);
    await clock.advanceAsync(60);
    watch(overall);
    expect(overall.context().deadline.left()).toBe(40);
    await clock.advanceAsync(40);

    expect(aborts).toEqual(['own@20', 'phase@60', 'overall@100']);
    expect([own, phase, overall].map((one) => (one.context().signal.reason as { scope: string }).scope)).toEqual([
      'task',
      'phase',
      'overall',
    ]);
  });

  it('returns an aborted signal to a task that first reads it after the abort', async () => {
    const { clock, shutdown, finish } = setup();
    let aborted: boolean | undefined;
    shutdown.addTask(
      Phase.ServiceStop,
      'late',
      async (_, context) => {
        await delay(clock, 30);
        aborted = context.signal.aborted;
      },
      { timeoutMs: 10 },
    );
    shutdown.addTask(Phase.ServiceStop, 'other', () => delay(clock, 50));
    await finish();

    expect(aborted).toBe(true);
  });

  it('lets a task stop early when its signal aborts, and reports it as timed out', async () => {
    const { shutdown, finish, logger } = setup({ phases: { [Phase.ServiceStop]: { timeoutMs: 30 } } });
    shutdown.addTask(
      Phase.ServiceStop,
      'polite',
      (_, { signal }) => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
    );
    const report = await finish();

    expect(taskStatuses(report)).toEqual(['polite:timed-out']);
    expect(logger.matching(/too late/)).toEqual([
      'warn: task service-stop/polite completed after 30 ms, too late: reported as timed-out',
    ]);
  });

  it('logs late results and failures, even after the end, and never as unhandled rejections', async () => {
    await failingOnUnhandled(async () => {
      const { clock, logger, shutdown, work, finish } = setup({ timeoutMs: 100 });
      shutdown.setPhaseTimeout(Phase.ServiceStop, 10);
      shutdown.addTask(Phase.ServiceStop, 'during', work('during', 20, new Error('a')));
      shutdown.addTask(Phase.ServiceStop, 'after', work('after', 500, new Error('b')));
      shutdown.addTask(Phase.ServiceStop, 'fine', work('fine', 500));
      shutdown.addTask(Phase.ClusterLeave, 'next', work('next', 40));
      const report = await finish();
      expect(report.durationMs).toBe(50);
      await clock.advanceAsync(1_000);

      expect(logger.matching(/too late/)).toEqual([
        'warn: task service-stop/during failed with "a" after 20 ms, too late: reported as timed-out',
        'warn: task service-stop/after failed with "b" after 500 ms, too late: reported as timed-out',
        'warn: task service-stop/fine completed after 500 ms, too late: reported as timed-out',
      ]);
      expect((await shutdown.run()).phases).toEqual(report.phases);
    });
  });

  it('uses only the monotonic clock', async () => {
    const { clock, shutdown, work, finish } = setup({ timeoutMs: 200 });
    shutdown.addTask(Phase.ServiceUnbind, 'a', () => {
      clock.jumpWall(86_400_000);
      return delay(clock, 20);
    });
    shutdown.addTask(
      Phase.ServiceStop,
      'b',
      () => {
        clock.jumpWall(-2 * 86_400_000);
        return never();
      },
      { timeoutMs: 30 },
    );
    shutdown.addTask(Phase.ClusterLeave, 'c', work('c', 10));
    const report = await finish();

    expect(report).toMatchObject({ status: 'failed', durationMs: 60 });
    expect(['a', 'b', 'c'].map((name) => taskOf(report, name).durationMs)).toEqual([20, 30, 10]);
  });

  it('applies a timeout set for a later phase during the shutdown', async () => {
    const { shutdown, finish } = setup();
    shutdown.addTask(Phase.ServiceUnbind, 'sets', () => shutdown.setPhaseTimeout(Phase.ServiceStop, 25));
    shutdown.addTask(Phase.ServiceStop, 'hangs', never);
    const report = await finish();

    expect(phaseOf(report, Phase.ServiceStop).durationMs).toBe(25);
    expect(shutdown.describe().find((phase) => phase.name === Phase.ServiceStop)!.timeoutMs).toBe(25);
  });

  it.each([0, NaN, -1, Infinity, 2 ** 31])(
    'refuses a timeout of %p for a phase, a task and the whole shutdown',
    (bad) => {
      const { shutdown } = setup();

      expect(() => shutdown.setPhaseTimeout(Phase.ServiceStop, bad)).toThrow(InvalidTimeoutError);
      expect(() => shutdown.setPhaseTimeout(Phase.ServiceStop, bad)).toThrow('setPhaseTimeout("service-stop")');
      expect(() => shutdown.addPhase('x', { timeoutMs: bad })).toThrow('addPhase("x").timeoutMs');
      expect(() => shutdown.addTask(Phase.ServiceStop, 't', never, { timeoutMs: bad })).toThrow(InvalidTimeoutError);
      expect(() => setup({ timeoutMs: bad })).toThrow(InvalidTimeoutError);
      expect(() => setup({ defaultPhaseTimeoutMs: bad })).toThrow(InvalidTimeoutError);
      expect(() => setup({ phases: { x: { timeoutMs: bad } } })).toThrow(InvalidTimeoutError);
      expect(shutdown.describe().flatMap((phase) => phase.tasks)).toEqual([]);
    },
  );

  it('leaves no timer behind', async () => {
    const { clock, shutdown, work, finish } = setup();
    shutdown.addTask(Phase.ServiceStop, 'own', never, { timeoutMs: 10 });
    shutdown.addTask(Phase.ServiceStop, 'quick', work('quick', 1), { timeoutMs: 4_000 });
    shutdown.addTask(Phase.ServiceStop, 'bad', () => Promise.reject(new Error('x')), { timeoutMs: 4_000 });
    await finish();

    expect(clock.pendingTimers).toBe(0);
  });
});

describe('CoordinatedShutdown, overall deadline', () => {
  it('abandons running tasks, skips the remaining phases and names the stuck tasks', async () => {
    const { clock, logger, shutdown, events, work, finish } = setup({
      timeoutMs: 2_500,
      defaultPhaseTimeoutMs: 10_000,
    });
    shutdown.addTask(Phase.ServiceUnbind, 'done', work('done', 1_000));
    shutdown.addTask(Phase.ServiceStop, 'stuck', never);
    shutdown.addTask(Phase.ServiceStop, 'told', (_, { progress }) => {
      progress(() => '2 sockets');
      return never();
    });
    shutdown.addTask(Phase.ServiceStop, 'fine', work('fine', 10));
    shutdown.addTask(Phase.ClusterLeave, 'later', work('later', 1));
    const report = await finish();

    expect(report).toMatchObject({ status: 'forced', exitCode: 1, durationMs: 2_500 });
    expect(taskStatuses(report)).toEqual([
      'done:completed',
      'stuck:timed-out',
      'told:timed-out',
      'fine:completed',
      'later:cancelled',
    ]);
    expect(taskOf(report, 'stuck').error!.message).toContain('overall deadline');
    expect(phaseOf(report, Phase.ClusterLeave).status).toBe('skipped');
    expect(logger.lines).toContain(
      'error: the shutdown passed its overall deadline of 2.5 s; still running:\n' +
        '  service-stop/stuck (1.5 s)\n  service-stop/told (1.5 s: 2 sockets)',
    );
    expect(events).toContainEqual({
      type: 'shutdown.forced',
      stuck: ['service-stop/stuck (1.5 s)', 'service-stop/told (1.5 s: 2 sockets)'],
    });
    expect(clock.pendingTimers).toBe(0);
  });

  it('cuts off all running phases in graph mode', async () => {
    const { shutdown, finish } = setup({
      timeoutMs: 50,
      concurrency: 'graph',
      phases: { a: {}, b: {}, c: { dependsOn: ['a'] } },
    });
    for (const name of ['a', 'b', 'c']) shutdown.addTask(name, name, never);
    const report = await finish();

    expect(taskStatuses(report)).toEqual(['a:timed-out', 'b:timed-out', 'c:cancelled']);
    expect(report).toMatchObject({ status: 'forced', durationMs: 50 });
  });

  it('counts from the trigger, even if a listener blocks the thread', async () => {
    const { clock, shutdown, finish } = setup({ timeoutMs: 100 });
    shutdown.events$.subscribe((event) => {
      if (event.type === 'shutdown.started') clock.advance(40);
    });
    shutdown.addTask(Phase.ServiceStop, 'stuck', never);

    expect((await finish()).durationMs).toBe(100);
  });

  it('ends at the deadline even if a task failed with a value that cannot be printed', async () => {
    await failingOnUnhandled(async () => {
      const { shutdown, finish } = setup();
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- that is the case under test
      shutdown.addTask(Phase.ServiceStop, 'rude', () => Promise.reject(Object.create(null)));

      expect(await finish()).toMatchObject({ status: 'failed', durationMs: 0 });
    });
  });

  it('does not exit the process after a plain run()', async () => {
    const { proc, shutdown, finish } = setup({ timeoutMs: 50 });
    shutdown.addTask(Phase.ServiceStop, 'stuck', never);
    await finish();
    await new Promise((resolve) => setImmediate(resolve));

    expect(proc.exits).toEqual([]);
  });
});
