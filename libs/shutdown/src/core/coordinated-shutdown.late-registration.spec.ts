import { LatePhaseError } from './errors/late-phase.error.js';
import { PhaseGraphLockedError } from './errors/phase-graph-locked.error.js';
import { UnknownPhaseError } from './errors/unknown-phase.error.js';
import { InvalidShutdownOptionError } from './errors/invalid-shutdown-option.error.js';
import { Phase, type PhaseOptions } from './phase.js';
import { FakeHost, never, phaseOf, setup, settle, taskStatuses } from './shutdown.fixture.js';
import type { TaskHandle } from './task.js';

const noop = () => undefined;
const lateError = (over: object) => expect.objectContaining({ code: 'SHUTDOWN_LATE_PHASE', ...over }) as Error;

describe('CoordinatedShutdown, registration during the run', () => {
  it('runs a task that an earlier phase adds to a later one', async () => {
    const { shutdown, trace, step, finish } = setup();
    shutdown.addTask(
      Phase.ServiceUnbind,
      'adds',
      () => void shutdown.addTask(Phase.ServiceStop, 'added', step('added')),
    );
    const report = await finish();

    expect(trace).toEqual(['added@0']);
    expect(taskStatuses(report)).toEqual(['adds:completed', 'added:completed']);
  });

  it('refuses a task for the running phase and names the phase and the task', async () => {
    const { clock, shutdown } = setup();
    shutdown.addTask(Phase.ServiceStop, 'hangs', never);
    void shutdown.run();
    await settle(clock);
    const add = () => shutdown.addTask(Phase.ServiceStop, 'late', noop, { declaredBy: 'Orders.close' });

    expect(add).toThrow(LatePhaseError);
    expect(add).toThrow(
      lateError({ phase: 'service-stop', subject: 'Task "late" (Orders.close)', progress: 'it is already running' }),
    );
    expect(add).toThrow(
      'Task "late" (Orders.close) is too late for shutdown phase "service-stop": it is already running.',
    );
  });

  it('refuses a task for a past phase and names the current phase', async () => {
    const { clock, shutdown } = setup();
    shutdown.addTask(Phase.ServiceStop, 'hangs', never);
    void shutdown.run();
    await settle(clock);

    expect(() => shutdown.addTask(Phase.ServiceUnbind, 'late', noop)).toThrow(
      lateError({
        phase: 'service-unbind',
        progress: 'it has already ended (completed), and the shutdown is in service-stop',
      }),
    );
    expect(() => shutdown.setPhaseTimeout(Phase.ServiceUnbind, 5)).toThrow(
      lateError({ subject: 'setPhaseTimeout("service-unbind")' }),
    );
    expect(() => shutdown.setPhaseTimeout(Phase.ServiceStop, 5)).toThrow(
      lateError({ progress: 'it is already running' }),
    );
  });

  it('refuses a task for a phase that was skipped or disabled', async () => {
    const { clock, shutdown } = setup({ phases: { [Phase.ServiceUnbind]: { enabled: false } } });
    shutdown.addTask(Phase.ServiceStop, 'hangs', never);
    void shutdown.run(undefined, { fromPhase: Phase.ServiceUnbind });
    await settle(clock);

    expect(() => shutdown.addTask(Phase.BeforeServiceUnbind, 'a', noop)).toThrow('it has already ended (skipped)');
    expect(() => shutdown.addTask(Phase.ServiceUnbind, 'a', noop)).toThrow('it has already ended (disabled)');
  });

  it('refuses a task that a task adds to its own phase, which then fails unless it catches the error', async () => {
    const { shutdown, finish } = setup();
    shutdown.addTask(Phase.ServiceStop, 'greedy', () => void shutdown.addTask(Phase.ServiceStop, 'more', noop));
    const report = await finish();

    expect(phaseOf(report, Phase.ServiceStop).tasks).toMatchObject([
      { name: 'greedy', status: 'failed', error: { code: 'SHUTDOWN_LATE_PHASE' } },
    ]);
  });

  it('refuses a task that a phase.started listener adds to that phase', async () => {
    const { shutdown, finish } = setup();
    const errors: unknown[] = [];
    shutdown.events$.subscribe((event) => {
      if (event.type !== 'phase.started' || event.phase !== 'service-stop') return;
      try {
        shutdown.addTask(Phase.ServiceStop, 'x', noop);
      } catch (error) {
        errors.push(error);
      }
    });
    await finish();

    expect(errors).toEqual([lateError({ progress: 'it is already running' })]);
  });

  it('accepts tasks for branches that have not started, in graph mode', async () => {
    const { clock, shutdown, trace, work, step } = setup({
      concurrency: 'graph',
      phases: { a: {}, b: {}, c: { dependsOn: ['b'] } },
    });
    shutdown.addTask('a', 'hangs', never);
    shutdown.addTask('b', 'b', work('b', 10));
    void shutdown.run();
    await settle(clock);

    expect(() => shutdown.addTask('b', 'x', noop)).toThrow('it is already running');
    shutdown.addTask('c', 'c', step('c'));
    await clock.advanceAsync(10);
    expect(trace).toEqual(['b@0', 'c@10']);
    expect(() => shutdown.addTask('c', 'y', noop)).toThrow(
      'it has already ended (completed), and the shutdown is in a',
    );
  });

  it('reports a task added to a later phase of an aborted shutdown as cancelled', async () => {
    const { shutdown, trace, step, finish } = setup({ phases: { [Phase.ServiceUnbind]: { recover: false } } });
    shutdown.addTask(Phase.ServiceUnbind, 'bad', () => {
      shutdown.addTask(Phase.ServiceStop, 'added', step('added'));
      throw new Error('x');
    });
    const report = await finish();

    expect([trace, taskStatuses(report)]).toEqual([[], ['bad:failed', 'added:cancelled']]);
  });

  it('refuses all registrations after the end with the same error', async () => {
    const { shutdown, finish } = setup();
    await finish();

    for (const phase of [Phase.BeforeServiceUnbind, Phase.ActorSystemTerminate]) {
      expect(() => shutdown.addTask(phase, 't', noop)).toThrow(
        lateError({ phase, progress: 'the shutdown has finished' }),
      );
      expect(() => shutdown.setPhaseTimeout(phase, 5)).toThrow(LatePhaseError);
    }
    expect(() => shutdown.addTask('nope', 't', noop)).toThrow(UnknownPhaseError);
  });

  it('refuses tasks while the host is closing', async () => {
    const { clock, shutdown } = setup();
    shutdown.attachHost(new FakeHost(never));
    void shutdown.run();
    await settle(clock);

    expect(shutdown.state).toBe('stopping');
    expect(() => shutdown.addTask(Phase.ActorSystemTerminate, 't', noop)).toThrow(
      lateError({ progress: 'it has already ended (completed)' }),
    );
  });

  it('refuses new phases as soon as run() is called', async () => {
    const { shutdown, finish } = setup();
    const ending = finish();
    expect(() => shutdown.addPhase('x')).toThrow(PhaseGraphLockedError);
    await ending;

    expect(() => shutdown.addPhase('x')).toThrow(
      expect.objectContaining({ code: 'SHUTDOWN_PHASES_LOCKED', phase: 'x' }),
    );
    expect(shutdown.describe()).toHaveLength(12);
  });

  it('refuses misspelled options of a phase', () => {
    const { shutdown } = setup();

    expect(() => shutdown.addPhase('x', { timeout: 5 } as PhaseOptions)).toThrow(InvalidShutdownOptionError);
    expect(() => shutdown.addPhase('x', { timeout: 5 } as PhaseOptions)).toThrow('addPhase("x").timeout');
    expect(() => shutdown.addPhase('x')).not.toThrow();
  });

  it('names the caller that used an unknown phase', () => {
    const { shutdown } = setup();

    expect(() => shutdown.addTask('nope', 't', noop, { declaredBy: 'Orders.close' })).toThrow(
      'Orders.close of task "t" refers to the unknown shutdown phase "nope"',
    );
    expect(() => shutdown.addTask('nope', 't', noop)).toThrow('addTask() of task "t" refers');
    expect(() => shutdown.setPhaseTimeout('nope', 5)).toThrow('setPhaseTimeout("nope") refers');
  });
});

describe('CoordinatedShutdown, cancelling', () => {
  it('does not run cancelled tasks, and reports only tasks cancelled during the run', async () => {
    const { shutdown, trace, step, finish } = setup();
    shutdown.addTask(Phase.ServiceStop, 'before', step('before')).cancel();
    const during = shutdown.addTask(Phase.ServiceStop, 'during', step('during'));
    shutdown.addTask(Phase.ServiceStop, 'kept', step('kept'));
    const results: boolean[] = [];
    shutdown.addTask(Phase.ServiceUnbind, 'cancels', () => results.push(during.cancel(), during.cancel()));
    const report = await finish();

    expect(trace).toEqual(['kept@0']);
    expect(results).toEqual([true, false]);
    expect(phaseOf(report, Phase.ServiceStop).tasks).toEqual([
      { name: 'kept', status: 'completed', durationMs: 0 },
      { name: 'during', status: 'cancelled', durationMs: 0 },
    ]);
    expect(report.status).toBe('completed');
  });

  it('cannot cancel a task that has started, has finished, or was skipped', async () => {
    const { shutdown, finish } = setup({ phases: { [Phase.ClusterLeave]: { enabled: false } } });
    const results: boolean[] = [];
    const own: TaskHandle = shutdown.addTask(Phase.ServiceStop, 'own', () =>
      results.push(own.cancel(), sibling.cancel()),
    );
    const sibling = shutdown.addTask(Phase.ServiceStop, 'sibling', noop);
    const disabled = shutdown.addTask(Phase.ClusterLeave, 'disabled', noop);
    const report = await finish();

    expect(results).toEqual([false, false]);
    expect([own, sibling, disabled].map((handle) => handle.cancel())).toEqual([false, false, false]);
    expect(taskStatuses(report)).toEqual(['own:completed', 'sibling:completed', 'disabled:cancelled']);
  });

  it('accepts the name of a cancelled task again', async () => {
    const { shutdown, trace, step, finish } = setup();
    shutdown.addTask(Phase.ServiceStop, 't', step('old')).cancel();
    shutdown.addTask(Phase.ServiceStop, 't', step('new'));
    await finish();

    expect(trace).toEqual(['new@0']);
  });
});
