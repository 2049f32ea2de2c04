import { deferred } from '@roost/kernel';
import { ContradictoryOptionsError } from './errors/contradictory-options.error.js';
import { DuplicateTaskError } from './errors/duplicate-task.error.js';
import { InvalidTaskError } from './errors/invalid-task.error.js';
import { LatePhaseError } from './errors/late-phase.error.js';
import { PhaseCycleError } from './errors/phase-cycle.error.js';
import { Phase, type PhaseOptions } from './phase.js';
import { PhaseGraph } from './phase-graph.js';
import { ActorSystemTerminateReason, ClusterDowningReason, ProcessTerminateReason, UnknownReason } from './reasons.js';
import { never, phaseOf, runToEnd, setup, settle, taskStatuses } from './shutdown.fixture.js';
import type { TerminationTarget } from './task.js';

const custom = (phases: Record<string, PhaseOptions>): string[] =>
  new PhaseGraph(phases).plan.map((phase) => phase.name).filter((name) => name in phases);

/** Terminates when stopped or on its stop message. */
class FakeActor implements TerminationTarget<string> {
  readonly got: string[] = [];
  readonly #end = deferred();

  tell(message: string): void {
    this.got.push(message);
    if (message === 'stop') this.#end.resolve();
  }

  stop(): void {
    this.got.push('(stopped)');
    this.#end.resolve();
  }

  whenTerminated(): Promise<void> {
    return this.#end.promise;
  }
}

/** Terminates with the shutdown, and starts it when terminated directly. */
const actorSystem = (fixture: ReturnType<typeof setup>, runsShutdown = true) => {
  const system = {
    terminated: false,
    terminate(): void {
      if (runsShutdown) void fixture.shutdown.run(new ActorSystemTerminateReason());
      else system.terminated = true;
    },
  };
  fixture.shutdown.addTask(Phase.ActorSystemTerminate, 'terminate-system', () => void (system.terminated = true));
  return system;
};

describe("Test cases from Akka's suite", () => {
  it.each<[string, Record<string, PhaseOptions>, string[]]>([
    ['empty', {}, []],
    ['single', { a: {} }, ['a']],
    ['implicit', { b: { dependsOn: [Phase.ServiceStop] } }, ['b']],
    ['fork', { b: { dependsOn: ['a'] }, c: { dependsOn: ['a'] }, a: {} }, ['a', 'b', 'c']],
    ['chain', { c: { dependsOn: ['b'] }, b: { dependsOn: ['a'] }, a: {} }, ['a', 'b', 'c']],
    [
      'diamond',
      { d: { dependsOn: ['b', 'c'] }, b: { dependsOn: ['a'] }, c: { dependsOn: ['a'] }, a: {} },
      ['a', 'b', 'c', 'd'],
    ],
    ['two chains', { b: { dependsOn: ['a'] }, a: {}, d: { dependsOn: ['c'] }, c: {} }, ['a', 'b', 'c', 'd']],
  ])('1: sorts topologically: %s', (_, phases, order) => {
    expect(custom(phases)).toEqual(order);
  });

  it.each<[string, Record<string, PhaseOptions>]>([
    ['self', { a: { dependsOn: ['a'] } }],
    ['two', { a: { dependsOn: ['b'] }, b: { dependsOn: ['a'] } }],
    ['longer', { a: { dependsOn: ['d'] }, b: { dependsOn: ['a'] }, c: { dependsOn: ['b'] }, d: { dependsOn: ['c'] } }],
  ])('2: detects cycles: %s', (_, phases) => {
    expect(() => new PhaseGraph(phases)).toThrow(PhaseCycleError);
  });

  it('3: has the predefined phases in order', () => {
    expect(
      setup()
        .shutdown.describe()
        .map((phase) => phase.name),
    ).toEqual(Object.values(Phase));
  });

  it('4: runs phases in order, each after the slow task of the previous one', async () => {
    const { shutdown, trace, work, finish } = setup({
      phases: { a: {}, b: { dependsOn: ['a'] }, c: { dependsOn: ['b'] } },
    });
    shutdown.addTask('a', 'a', work('a', 0));
    shutdown.addTask('b', 'slow', work('slow', 100));
    shutdown.addTask('b', 'quick', work('quick', 0));
    shutdown.addTask('c', 'c', work('c', 0));
    await finish();

    expect(trace).toEqual(['a@0', 'slow@0', 'quick@0', 'c@100']);
  });

  it('5: cancels tasks', async () => {
    const { shutdown, trace, step, finish } = setup();
    const handle = shutdown.addTask(Phase.ServiceStop, 'a', step('a'));
    shutdown.addTask(Phase.ServiceStop, 'b', step('b'));

    expect([handle.cancel(), handle.cancel()]).toEqual([true, false]);
    await finish();
    expect(trace).toEqual(['b@0']);
  });

  it('6: runs a task registered under three names twice if one is cancelled, and refuses a name that is in use', async () => {
    const { shutdown, finish } = setup();
    let count = 0;
    const [, second] = ['one', 'two', 'three'].map((name) =>
      shutdown.addTask(Phase.ServiceStop, name, () => void count++),
    );
    second!.cancel();

    expect(() => shutdown.addTask(Phase.ServiceStop, 'one', never, { declaredBy: 'B' })).toThrow(
      expect.objectContaining({ declaredBy: 'B', alreadyDeclaredBy: 'addTask()' }),
    );
    expect(() => shutdown.addTask(Phase.ServiceStop, 'one', never)).toThrow(DuplicateTaskError);
    await finish();
    expect(count).toBe(2);
  });

  it('7: accepts registration and cancellation for a later phase, but not for the current or a past one', async () => {
    const { shutdown, trace, step, finish } = setup();
    const doomed = shutdown.addTask(Phase.ClusterLeave, 'doomed', step('doomed'));
    const past = shutdown.addTask(Phase.ServiceUnbind, 'past', step('past'));
    shutdown.addTask(Phase.ServiceStop, 'busy', () => {
      shutdown.addTask(Phase.ClusterLeave, 'added', step('added'));
      expect([doomed.cancel(), past.cancel()]).toEqual([true, false]);
      for (const phase of [Phase.ServiceStop, Phase.ServiceUnbind]) {
        expect(() => shutdown.addTask(phase, 'late', never)).toThrow(LatePhaseError);
      }
    });
    const report = await finish();

    expect(trace).toEqual(['past@0', 'added@0']);
    expect(taskStatuses(report)).toEqual(['past:completed', 'busy:completed', 'added:completed', 'doomed:cancelled']);
  });

  it('8: runs ten tasks that each of ten tasks adds to a later phase', async () => {
    const { shutdown, trace, step, finish } = setup();
    for (let i = 0; i < 10; i++) {
      shutdown.addTask(Phase.ServiceUnbind, `adds-${i}`, async () => {
        for (let j = 0; j < 10; j++) shutdown.addTask(Phase.ServiceStop, `${i}-${j}`, step(`${i}-${j}`));
      });
    }
    await finish();

    expect(new Set(trace).size).toBe(100);
    expect(trace).toHaveLength(100);
  });

  it('9: runs from a given phase', async () => {
    const { clock, shutdown, trace, step } = setup();
    for (const phase of Object.values(Phase)) shutdown.addTask(phase, phase, step(phase));
    void shutdown.run(new UnknownReason(), { fromPhase: Phase.BeforeActorSystemTerminate });
    await runToEnd(clock, shutdown);

    expect(trace).toEqual(['before-actor-system-terminate@0', 'actor-system-terminate@0']);
  });

  it('10: runs once and keeps the first reason', async () => {
    const { clock, shutdown, trace, step } = setup();
    shutdown.addTask(Phase.ServiceStop, 'a', step('a'));
    void shutdown.run(new ClusterDowningReason());
    void shutdown.run(new UnknownReason());
    const report = await runToEnd(clock, shutdown);
    void shutdown.run(new UnknownReason());

    expect(trace).toEqual(['a@0']);
    expect([report.reason, shutdown.reason!.name]).toEqual(['cluster-downing', 'cluster-downing']);
  });

  it('11: continues after a timeout or a failure, once all tasks of the phase have settled', async () => {
    const { shutdown, trace, work, finish } = setup({
      phases: { a: {}, b: { dependsOn: ['a'], timeoutMs: 50 }, c: { dependsOn: ['b'] } },
    });
    shutdown.addTask('a', 'bad', work('bad', 0, new Error('boom')));
    shutdown.addTask('a', 'sibling', work('sibling', 20));
    shutdown.addTask('b', 'hangs', never);
    shutdown.addTask('c', 'c', work('c', 0));
    await finish();

    expect(trace).toEqual(['bad@0', 'sibling@0', 'c@70']);
  });

  it('12: aborts when recover is off', async () => {
    const { shutdown, trace, step, finish } = setup({
      phases: { b: { recover: false, timeoutMs: 10 }, c: { dependsOn: ['b'] } },
    });
    shutdown.addTask('b', 'b', never);
    shutdown.addTask('c', 'c', step('c'));

    expect((await finish()).status).toBe('aborted');
    expect(trace).toEqual([]);
  });

  it('13: skips a disabled phase and logs it', async () => {
    const { logger, shutdown, trace, step, finish } = setup({ phases: { b: { enabled: false } } });
    shutdown.addTask('b', 'b', step('b'));
    const report = await finish();

    expect([trace, phaseOf(report, 'b').status]).toEqual([[], 'disabled']);
    expect(logger.lines).toContain('log: phase b disabled: b did not run');
  });

  it('14: accepts a task that an earlier phase adds to a later one', async () => {
    const { shutdown, trace, step, finish } = setup();
    shutdown.addTask(Phase.ServiceStop, 'adds', () => void shutdown.addTask(Phase.ClusterLeave, 'b', step('b')));
    await finish();

    expect(trace).toEqual(['b@0']);
  });

  it('15: reads phases from the configuration', () => {
    const { shutdown } = setup({
      defaultPhaseTimeoutMs: 2_000,
      phases: {
        a: {},
        b: { dependsOn: ['a'], timeoutMs: 15_000, recover: false },
        c: { dependsOn: ['a', 'b'], enabled: false },
      },
    });
    const own = shutdown.describe().filter((phase) => phase.name.length === 1);

    expect(own).toMatchObject([
      { name: 'a', dependsOn: [], timeoutMs: 2_000, recover: true, enabled: true },
      { name: 'b', dependsOn: ['a'], timeoutMs: 15_000, recover: false, enabled: true },
      { name: 'c', dependsOn: ['a', 'b'], timeoutMs: 2_000, recover: true, enabled: false },
    ]);
  });

  it('16: exits with 0 by default', async () => {
    const { clock, proc, shutdown } = setup({ exit: { process: true } });
    void shutdown.run();
    await runToEnd(clock, shutdown);
    await settle(clock);

    expect(proc.exits).toEqual([0]);
  });

  it('17: exits with the code of the reason', async () => {
    const { clock, proc, shutdown } = setup({ exit: { process: true, reasons: { 'cluster-downing': 70 } } });
    void shutdown.run(new ClusterDowningReason());
    await runToEnd(clock, shutdown);
    await settle(clock);

    expect(proc.exits).toEqual([70]);
  });

  it('18: terminates the actor system last', async () => {
    const fixture = setup();
    const system = actorSystem(fixture);
    const before: boolean[] = [];
    fixture.shutdown.addTask(Phase.BeforeActorSystemTerminate, 'looks', () => void before.push(system.terminated));
    await fixture.finish();

    expect([before, system.terminated]).toEqual([[false], true]);
  });

  it('19: runs on terminate()', async () => {
    const fixture = setup();
    const system = actorSystem(fixture);
    system.terminate();
    const report = await runToEnd(fixture.clock, fixture.shutdown);

    expect([report.reason, system.terminated]).toEqual(['actor-system-terminate', true]);
  });

  it('20: does not run on terminate() when that is disabled', async () => {
    const fixture = setup();
    actorSystem(fixture, false).terminate();
    await settle(fixture.clock);

    expect([fixture.shutdown.state, fixture.shutdown.reason]).toEqual(['running', undefined]);
  });

  it('21: refuses a contradictory configuration', () => {
    expect(() => setup({ uncaught: true, exit: { process: false } })).toThrow(ContradictoryOptionsError);
  });

  it('22: adds process hooks on request and removes them at the end', async () => {
    const { clock, proc, shutdown } = setup();
    expect(proc.eventNames()).toEqual([]);
    shutdown.installProcessHooks();
    shutdown.installProcessHooks();
    expect([proc.listenerCount('SIGTERM'), proc.listenerCount('SIGINT')]).toEqual([1, 1]);
    void shutdown.run();
    await runToEnd(clock, shutdown);
    await settle(clock);

    expect([proc.listenerCount('SIGTERM'), proc.listenerCount('SIGINT')]).toEqual([0, 0]);
  });

  it('23: removes only its own hooks on request', () => {
    const { proc, shutdown } = setup();
    const foreign = () => undefined;
    proc.on('SIGTERM', foreign);
    shutdown.installProcessHooks(['SIGTERM', 'SIGHUP']);
    shutdown.removeProcessHooks();
    shutdown.removeProcessHooks();

    expect([proc.listeners('SIGTERM'), proc.listenerCount('SIGHUP')]).toEqual([[foreign], 0]);
  });

  it('24: starts on a signal and exits when everything is done', async () => {
    const { clock, proc, shutdown, trace, step } = setup();
    shutdown.addTask(Phase.ServiceStop, 'a', step('a'));
    shutdown.installProcessHooks();
    proc.emit('SIGTERM');
    await runToEnd(clock, shutdown);
    await settle(clock);

    expect(shutdown.reason).toBeInstanceOf(ProcessTerminateReason);
    expect([trace, proc.exits]).toEqual([['a@0'], [0]]);
  });

  it('25: adds no hooks for an empty list of signals, and never exits with exit.process: false', async () => {
    const none = setup({ signals: [] });
    none.shutdown.installProcessHooks();
    expect(none.proc.eventNames()).toEqual([]);

    const { clock, proc, shutdown } = setup({ exit: { process: false } });
    shutdown.installProcessHooks();
    proc.emit('SIGTERM');
    await runToEnd(clock, shutdown);
    await settle(clock);
    expect(proc.exits).toEqual([]);
  });

  it('26: does not throw when used after termination', async () => {
    const { proc, shutdown, finish } = setup();
    const handle = shutdown.addTask(Phase.ServiceStop, 'a', () => undefined);
    await finish();

    expect(() => {
      void shutdown.run();
      shutdown.installProcessHooks();
      shutdown.removeProcessHooks();
      shutdown.describe();
      shutdown.budgetWarnings();
      handle.cancel();
    }).not.toThrow();
    shutdown.installProcessHooks();
    expect(proc.eventNames()).toEqual([]);
  });

  it.each(['tell', 'stop', 'whenTerminated'])('refuses to register a target without %s()', (method) => {
    const { shutdown } = setup();
    const target = { tell() {}, stop() {}, whenTerminated: () => Promise.resolve(), [method]: undefined };

    expect(() => shutdown.addActorTerminationTask(Phase.ServiceStop, 'stop-it', target as never)).toThrow(
      `"stop-it" in phase "service-stop" cannot be run: its target has no ${method}()`,
    );
    expect(() => shutdown.addActorTerminationTask(Phase.ServiceStop, 'stop-it', undefined as never)).toThrow(
      InvalidTaskError,
    );
  });

  it('27: stops an actor with its stop message, even if the message is falsy', async () => {
    const { shutdown, finish } = setup();
    const actor = new FakeActor();
    shutdown.addActorTerminationTask(Phase.ServiceStop, 'actor', actor, 'stop');
    const other = new FakeActor();
    void other.whenTerminated();
    shutdown.addActorTerminationTask(Phase.ClusterLeave, 'empty', other, '');
    const report = await finish();

    expect([actor.got, other.got]).toEqual([['stop'], ['']]);
    expect(taskStatuses(report)).toEqual(['actor:completed', 'empty:timed-out']);
  });

  it('28: stops an actor without a stop message, and names the declarer of the task', async () => {
    const { shutdown, finish } = setup();
    const actor = new FakeActor();
    shutdown.addActorTerminationTask(Phase.ServiceStop, 'actor', actor);
    expect(shutdown.describe()[3]!.tasks).toEqual([{ name: 'actor', declaredBy: 'addActorTerminationTask()' }]);

    expect((await finish()).status).toBe('completed');
    expect(actor.got).toEqual(['(stopped)']);
  });

  it('29: completes at once for an actor that has already terminated', async () => {
    const { shutdown, finish } = setup();
    const actor = new FakeActor();
    actor.stop();
    shutdown.addActorTerminationTask(Phase.ServiceStop, 'actor', actor, 'anything');

    expect(await finish()).toMatchObject({ status: 'completed', durationMs: 0 });
  });

  it('30: accepts the same actor twice in a phase', async () => {
    const { shutdown, finish } = setup();
    const actor = new FakeActor();
    shutdown.addActorTerminationTask(Phase.ServiceStop, 'one', actor, 'stop');
    shutdown.addActorTerminationTask(Phase.ServiceStop, 'two', actor, 'stop');

    expect(taskStatuses(await finish())).toEqual(['one:completed', 'two:completed']);
  });

  it('31: accepts the same actor in two phases', async () => {
    const { shutdown, finish } = setup();
    const actor = new FakeActor();
    shutdown.addActorTerminationTask(Phase.ServiceStop, 'actor', actor, 'stop');
    shutdown.addActorTerminationTask(Phase.ClusterLeave, 'actor', actor);

    expect(taskStatuses(await finish())).toEqual(['actor:completed', 'actor:completed']);
    expect(actor.got).toEqual(['stop', '(stopped)']);
  });
});
