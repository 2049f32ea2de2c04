import fc from 'fast-check';
import { DuplicateTaskError } from './errors/duplicate-task.error.js';
import { LatePhaseError } from './errors/late-phase.error.js';
import type { PhaseOptions } from './phase.js';
import { Phase } from './phase.js';
import type { ShutdownReport } from './report.js';
import { delay, never, runToEnd, setup } from './shutdown.fixture.js';
import type { TaskHandle } from './task.js';

type Outcome = 'resolve' | 'reject' | 'hang' | 'sync' | 'throw';

interface TaskCase {
  ms: number;
  outcome: Outcome;
  timeoutMs: number | undefined;
}

interface PhaseCase {
  timeoutMs: number;
  recover: boolean;
  enabled: boolean;
  dependsOn: number[];
  tasks: TaskCase[];
}

interface Case {
  phases: PhaseCase[];
  timeoutMs: number;
  concurrency: 'sequential' | 'graph';
  fromPhase: number | undefined;
}

const anyCase: fc.Arbitrary<Case> = fc
  .record({
    phases: fc.array(
      fc.record({
        timeoutMs: fc.integer({ min: 1, max: 200 }),
        recover: fc.boolean(),
        enabled: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
        dependsOn: fc.array(fc.nat(4), { maxLength: 2 }),
        tasks: fc.array(
          fc.record({
            ms: fc.integer({ min: 1, max: 300 }),
            outcome: fc.oneof(
              { weight: 4, arbitrary: fc.constant('resolve' as const) },
              fc.constantFrom<Outcome>('reject', 'hang', 'sync', 'throw'),
            ),
            timeoutMs: fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined }),
          }),
          { maxLength: 3 },
        ),
      }),
      { minLength: 1, maxLength: 5 },
    ),
    timeoutMs: fc.oneof(fc.constant(20_000), fc.integer({ min: 1, max: 500 })),
    concurrency: fc.constantFrom('sequential' as const, 'graph' as const),
    fromPhase: fc.option(fc.nat(4), { nil: undefined, freq: 6 }),
  })
  .map(spread);

/**
 * Adds a unique power-of-two fraction to every duration, so that no two sums of durations are equal. These tests do not
 * cover which of two simultaneous events wins.
 */
function spread(input: Case): Case {
  let fraction = 1;
  const unique = (ms: number) => ms + (fraction /= 2);
  const phases = input.phases.map((phase, i) => ({
    ...phase,
    timeoutMs: unique(phase.timeoutMs),
    dependsOn: phase.dependsOn.filter((other) => other < i),
    tasks: phase.tasks.map((task) => ({
      // An abort at the very start of a phase would coincide with the start of its neighbors.
      outcome: task.outcome === 'throw' && !phase.recover ? ('reject' as const) : task.outcome,
      ms: unique(task.ms),
      timeoutMs: task.timeoutMs === undefined ? undefined : unique(task.timeoutMs),
    })),
  }));
  const fromPhase = input.fromPhase !== undefined && input.fromPhase < phases.length ? input.fromPhase : undefined;
  return { ...input, phases, timeoutMs: unique(input.timeoutMs), fromPhase };
}

interface Expected {
  status: ShutdownReport['status'];
  durationMs: number;
  phases: { status: string; startsAt: number; durationMs: number; tasks: { status: string; durationMs: number }[] }[];
}

/** Outcome of a task whose phase starts at `start`, when the shutdown is forced at `end`. */
function expectTask(task: TaskCase, phase: PhaseCase, start: number, end: number): { status: string; at: number } {
  if (task.outcome === 'sync') return { status: 'completed', at: start };
  if (task.outcome === 'throw') return { status: 'failed', at: start };
  const limit = Math.min(start + phase.timeoutMs, start + (task.timeoutMs ?? Infinity), end);
  const done = task.outcome === 'hang' ? Infinity : start + task.ms;
  if (done > limit) return { status: 'timed-out', at: limit };
  return { status: task.outcome === 'resolve' ? 'completed' : 'failed', at: done };
}

/** Computes the expected result without promises or timers. */
function expectRun({ phases, timeoutMs, concurrency, fromPhase = 0 }: Case): Expected {
  const result: Expected['phases'] = [];
  let abortedAt = Infinity;
  const plan = (position: number, abortAt: number) => {
    const phase = phases[position]!;
    const before = concurrency === 'sequential' ? (position > 0 ? [position - 1] : []) : phase.dependsOn;
    const start = Math.max(0, ...before.map((other) => result[other]!.startsAt + result[other]!.durationMs));
    const passed = (status: string) => ({
      status,
      startsAt: start,
      durationMs: 0,
      tasks: phase.tasks.map(() => ({ status: 'cancelled', durationMs: 0 })),
    });
    if (position < fromPhase || start >= timeoutMs || start >= abortAt) return passed('skipped');
    if (!phase.enabled) return passed('disabled');
    const tasks = phase.tasks.map((task) => expectTask(task, phase, start, timeoutMs));
    const end = Math.max(start, ...tasks.map((task) => task.at));
    const has = (status: string) => tasks.some((task) => task.status === status);
    return {
      status: has('timed-out') ? 'timed-out' : has('failed') ? 'failed' : 'completed',
      startsAt: start,
      durationMs: end - start,
      tasks: tasks.map((task) => ({ status: task.status, durationMs: task.at - start })),
    };
  };
  // An abort affects phases that are earlier in the plan but start later, so repeat until the result is stable.
  for (let round = 0; ; round++) {
    if (round > phases.length) throw new Error('the model does not settle');
    result.length = 0;
    for (let position = 0; position < phases.length; position++) result.push(plan(position, abortedAt));
    const ends = result.map((phase) => phase.startsAt + phase.durationMs);
    const bad = (i: number) => ['failed', 'timed-out'].includes(result[i]!.status) && ends[i]! < timeoutMs;
    const first = Math.min(...phases.map((phase, i) => (!phase.recover && bad(i) ? ends[i]! : Infinity)));
    if (first === abortedAt) break;
    abortedAt = first;
  }
  const end = Math.max(...result.map((phase) => phase.startsAt + phase.durationMs));
  const forced = end >= timeoutMs;
  const failed = result.some((phase) => ['failed', 'timed-out'].includes(phase.status));
  return {
    status: forced ? 'forced' : abortedAt < Infinity ? 'aborted' : failed ? 'failed' : 'completed',
    durationMs: end,
    phases: result,
  };
}

describe('CoordinatedShutdown, against a model', () => {
  const seen = new Set<string>();

  it('starts, finishes, abandons and reports everything as the model predicts', async () => {
    await fc.assert(
      fc.asyncProperty(anyCase, async (input) => {
        const { clock, shutdown, events } = setup({
          timeoutMs: input.timeoutMs,
          concurrency: input.concurrency,
          phases: Object.fromEntries(
            input.phases.map(({ timeoutMs, recover, enabled, dependsOn }, i): [string, PhaseOptions] => [
              `p${i}`,
              // All before the built-in phases, so that these neither delay nor follow anything.
              {
                timeoutMs,
                recover,
                enabled,
                dependsOn: dependsOn.map((d) => `p${d}`),
                before: [Phase.BeforeServiceUnbind],
              },
            ]),
          ),
        });
        const startedAt = new Map<string, number>();
        const signals: { name: string; aborted: () => boolean }[] = [];
        input.phases.forEach((phase, p) => {
          phase.tasks.forEach(({ ms, outcome, timeoutMs }, t) => {
            const name = `p${p}t${t}`;
            shutdown.addTask(
              `p${p}`,
              name,
              (_, context) => {
                expect(startedAt.has(name)).toBe(false);
                startedAt.set(name, clock.monotonic());
                signals.push({ name, aborted: () => context.signal.aborted });
                const limit = Math.min(phase.timeoutMs, timeoutMs ?? Infinity, input.timeoutMs - clock.monotonic());
                expect(context.deadline.left()).toBe(limit);
                if (outcome === 'sync') return undefined;
                if (outcome === 'throw') throw new Error('x');
                if (outcome === 'hang') return never();
                return delay(clock, ms).then(() => (outcome === 'reject' ? Promise.reject(new Error('x')) : undefined));
              },
              { timeoutMs },
            );
          });
        });
        const expected = expectRun(input);
        void shutdown.run(undefined, input.fromPhase === undefined ? {} : { fromPhase: `p${input.fromPhase}` });
        const report = await runToEnd(clock, shutdown);

        expect({ status: report.status, durationMs: report.durationMs }).toEqual({
          status: expected.status,
          durationMs: expected.durationMs,
        });
        expect(report.exitCode).toBe(expected.status === 'completed' ? 0 : 1);
        const own = report.phases.filter((phase) => /^p\d$/.test(phase.name));
        expect(
          own.map(({ status, durationMs, tasks }) => ({
            status,
            durationMs,
            tasks: tasks.map((task) => ({ status: task.status, durationMs: task.durationMs })),
          })),
        ).toEqual(expected.phases.map(({ status, durationMs, tasks }) => ({ status, durationMs, tasks })));
        expected.phases.forEach((phase, p) => {
          phase.tasks.forEach((task, t) => {
            expect(startedAt.get(`p${p}t${t}`)).toBe(task.status === 'cancelled' ? undefined : phase.startsAt);
          });
        });
        for (const { name, aborted } of signals) {
          const task = own.flatMap((phase) => phase.tasks).find((one) => one.name === name)!;
          expect(aborted()).toBe(task.status === 'timed-out');
        }
        const ends = events.filter((event) => /^task\.(finished|failed|timed-out)$/.test(event.type));
        expect(ends).toHaveLength(startedAt.size);
        seen.add(`${input.concurrency} ${report.status}`);
      }),
      { numRuns: 400 },
    );
    // The cases must have covered every outcome in both modes.
    expect([...seen].sort()).toEqual(
      ['graph', 'sequential'].flatMap((mode) =>
        ['aborted', 'completed', 'failed', 'forced'].map((status) => `${mode} ${status}`),
      ),
    );
  });

  it('lasts as long as the critical path in graph mode and the sum in sequential mode', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ ms: fc.integer({ min: 1, max: 1_000 }), deps: fc.array(fc.nat(5), { maxLength: 3 }) }), {
          minLength: 1,
          maxLength: 6,
        }),
        fc.constantFrom('sequential' as const, 'graph' as const),
        async (list, concurrency) => {
          const deps = list.map((one, i) => one.deps.filter((dep) => dep < i));
          const { shutdown, work, finish } = setup({
            concurrency,
            phases: Object.fromEntries(list.map((_, i) => [`p${i}`, { dependsOn: deps[i]!.map((dep) => `p${dep}`) }])),
          });
          list.forEach(({ ms }, i) => shutdown.addTask(`p${i}`, 't', work(`p${i}`, ms)));
          const longest = (i: number): number => list[i]!.ms + Math.max(0, ...deps[i]!.map(longest));
          const expected =
            concurrency === 'graph'
              ? Math.max(...list.map((_, i) => longest(i)))
              : list.reduce((sum, { ms }) => sum + ms, 0);

          expect((await finish()).durationMs).toBe(expected);
        },
      ),
      { numRuns: 60 },
    );
  });
});

const PHASES = [Phase.ServiceUnbind, Phase.ServiceRequestsDone, Phase.ServiceStop];

type Step =
  | { do: 'add'; phase: number; name: string; ms: number }
  | { do: 'cancel'; which: number }
  | { do: 'run' }
  | { do: 'wait'; ms: number };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      phase: fc.nat(2),
      name: fc.constantFrom('a', 'b', 'c', 'd'),
      ms: fc.integer({ min: 1, max: 20 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), which: fc.nat(10) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('run' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(15) }) },
);

describe('CoordinatedShutdown, any interleaving of addTask, cancel, run and time', () => {
  it('runs each accepted task exactly once, in its phase, and refuses the others', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 25 }), async (steps) => {
        const { clock, shutdown } = setup();
        const runs: { id: number; phase: number }[] = [];
        const accepted: {
          id: number;
          phase: number;
          name: string;
          handle: TaskHandle;
          state: 'waiting' | 'begun' | 'cancelled';
        }[] = [];
        let begun = -1;
        let running = false;
        shutdown.events$.subscribe((event) => {
          if (event.type === 'phase.started') begun = Math.max(begun, PHASES.indexOf(event.phase as never));
          if (event.type === 'phase.started' && event.phase === Phase.BeforeClusterShutdown) begun = PHASES.length;
        });
        for (const step of steps) {
          if (step.do === 'add') {
            const id = accepted.length;
            const add = () =>
              shutdown.addTask(PHASES[step.phase]!, step.name, () => {
                runs.push({ id, phase: step.phase });
                accepted[id]!.state = 'begun';
                return delay(clock, step.ms);
              });
            const taken = accepted.some(
              (one) => one.phase === step.phase && one.name === step.name && one.state === 'waiting',
            );
            if (step.phase <= begun) expect(add).toThrow(LatePhaseError);
            else if (taken) expect(add).toThrow(DuplicateTaskError);
            else accepted.push({ id, phase: step.phase, name: step.name, handle: add(), state: 'waiting' });
          } else if (step.do === 'cancel') {
            const one = accepted[step.which];
            if (!one) continue;
            expect(one.handle.cancel()).toBe(one.state === 'waiting');
            if (one.state === 'waiting') one.state = 'cancelled';
          } else if (step.do === 'run') {
            void shutdown.run();
            running = true;
          } else {
            await clock.advanceAsync(step.ms);
            if (!running) expect(runs).toEqual([]);
          }
        }
        void shutdown.run();
        const report = await runToEnd(clock, shutdown);

        expect(report.status).toBe('completed');
        const expected = accepted.filter((one) => one.state !== 'cancelled').map((one) => one.id);
        expect(runs.map((run) => run.id).sort((a, b) => a - b)).toEqual(expected);
        expect(runs.map((run) => run.phase)).toEqual(runs.map((run) => run.phase).sort((a, b) => a - b));
        expect(accepted.some((one) => one.state === 'waiting')).toBe(false);
        expect(clock.pendingTimers).toBe(0);
      }),
      { numRuns: 200 },
    );
  });
});
