import fc from 'fast-check';
import { budgetWarning, phaseBudgetMs, totalBudgetMs } from './budget.js';
import { type CoordinatedShutdownOptions, resolveShutdownOptions } from './options.js';
import { Phase, type PhaseOptions } from './phase.js';
import { PhaseGraph } from './phase-graph.js';
import { setup } from './shutdown.fixture.js';
import { TaskRegistry } from './task-registry.js';

const run = () => undefined;

const planOf = (phases: Record<string, PhaseOptions>, tasks: [phase: string, timeoutMs?: number][]) => {
  const { plan } = new PhaseGraph(phases);
  const registry = new TaskRegistry();
  tasks.forEach(([phase, timeoutMs], i) => registry.add(phase, `t${i}`, run, { timeoutMs }));
  return { plan, registry, phase: (name: string) => plan.find((phase) => phase.name === name)! };
};

describe('phaseBudgetMs', () => {
  it.each<[string, PhaseOptions, (number | undefined)[], number]>([
    ['0 without tasks', { timeoutMs: 100 }, [], 0],
    ['0 when disabled', { timeoutMs: 100, enabled: false }, [undefined], 0],
    ['the phase timeout when a task has none', { timeoutMs: 100 }, [10, undefined], 100],
    ['the longest task timeout when all are shorter', { timeoutMs: 100 }, [10, 30, 20], 30],
    ['the phase timeout when a task has a longer one', { timeoutMs: 100 }, [500], 100],
  ])('is %s', (_, options, timeouts, expected) => {
    const { phase, registry } = planOf(
      { x: options },
      timeouts.map((timeoutMs) => ['x', timeoutMs]),
    );

    expect(phaseBudgetMs(phase('x'), registry)).toBe(expected);
  });
});

describe('totalBudgetMs', () => {
  const phases = {
    a: { timeoutMs: 100 },
    b: { timeoutMs: 200 },
    c: { timeoutMs: 50, dependsOn: ['a'] },
    d: { timeoutMs: 10, dependsOn: ['b', 'c'] },
  };
  const tasks: [string][] = [['a'], ['b'], ['c'], ['d']];

  it('is the sum of the phases in sequential mode', () => {
    const { plan, registry } = planOf(phases, tasks);

    expect(totalBudgetMs(plan, registry, 'sequential')).toBe(360);
  });

  it('is the critical path in graph mode', () => {
    const { plan, registry } = planOf(phases, tasks);

    expect(totalBudgetMs(plan, registry, 'graph')).toBe(210);
  });

  it('equals, in graph mode, the longest path of an exhaustive search', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ ms: fc.integer({ min: 1, max: 1000 }), deps: fc.array(fc.nat(7)), empty: fc.boolean() }), {
          minLength: 1,
          maxLength: 8,
        }),
        (list) => {
          const own = list.map(({ ms, deps }, i) => ({
            name: `p${i}`,
            timeoutMs: ms,
            dependsOn: deps.filter((dep) => dep < i).map((dep) => `p${dep}`),
          }));
          const options = Object.fromEntries(own.map(({ name, ...rest }) => [name, rest]));
          const filled = own.filter((_, i) => !list[i]!.empty);
          const { plan, registry } = planOf(
            options,
            filled.map(({ name }) => [name]),
          );
          const cost = (i: number): number => (list[i]!.empty ? 0 : own[i]!.timeoutMs);
          const longest = (i: number): number =>
            cost(i) + Math.max(0, ...own[i]!.dependsOn.map((name) => longest(Number(name.slice(1)))));

          expect(totalBudgetMs(plan, registry, 'graph')).toBe(Math.max(...own.map((_, i) => longest(i))));
          expect(totalBudgetMs(plan, registry, 'sequential')).toBe(own.reduce((sum, _, i) => sum + cost(i), 0));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('equals totalTimeoutMs after every change of timeouts and tasks', () => {
    const { shutdown } = setup();
    expect(shutdown.totalTimeoutMs).toBe(0);
    const handle = shutdown.addTask(Phase.ServiceStop, 'a', run);
    shutdown.addTask(Phase.ServiceUnbind, 'b', run, { timeoutMs: 300 });
    expect(shutdown.totalTimeoutMs).toBe(5_300);
    shutdown.setPhaseTimeout(Phase.ServiceStop, 700);
    expect(shutdown.totalTimeoutMs).toBe(1_000);
    handle.cancel();
    expect(shutdown.totalTimeoutMs).toBe(300);
  });
});

describe('budgetWarning', () => {
  const warn = (options: CoordinatedShutdownOptions, tasks: [string, number?][] = []) => {
    const resolved = resolveShutdownOptions(options);
    const { plan, registry } = planOf(resolved.phases, tasks);
    return budgetWarning(plan, registry, resolved);
  };

  it('returns undefined if everything fits, to the millisecond', () => {
    expect(warn({})).toBeUndefined();
    expect(
      warn({ timeoutMs: 6_000, gracePeriodMs: 6_000, hooksBudgetMs: 1_000 }, [[Phase.ServiceStop]]),
    ).toBeUndefined();
  });

  it('warns when phases and hooks take longer than timeoutMs, with a table', () => {
    const warning = warn({ timeoutMs: 5_999 }, [[Phase.ServiceStop], [Phase.ServiceUnbind, 0.5]])!;

    expect(warning.split('\n')).toEqual([
      'shutdown budget does not fit:',
      expect.stringMatching(
        /^- phases and hooks may take .*, but timeoutMs cuts everything off after .*raise timeoutMs/,
      ),
      expect.stringMatching(/^ {2}service-unbind {2}/),
      expect.stringMatching(/^ {2}service-stop {4}5 s$/),
      expect.stringMatching(/^ {2}hooks {11}1 s$/),
      expect.stringMatching(/^ {2}timeoutMs {7}6 s$/),
    ]);
  });

  it('warns when timeoutMs plus preStopMs exceeds the grace period', () => {
    expect(warn({ timeoutMs: 25_000, gracePeriodMs: 30_000, preStopMs: 5_000 })).toBeUndefined();
    const warning = warn({ timeoutMs: 25_000, gracePeriodMs: 30_000, preStopMs: 5_001 })!;
    expect(warning).toMatch(
      /timeoutMs 25 s plus a preStop of .* exceeds the grace period of 30 s, so SIGKILL may arrive first/,
    );
    expect(warn({ timeoutMs: 30_001 })).not.toContain('preStop');
  });

  it('reports both problems at once', () => {
    const warning = warn({ timeoutMs: 1_000, gracePeriodMs: 500 }, [[Phase.ServiceStop]])!;

    expect(warning.split('\n').filter((line) => line.startsWith('- '))).toHaveLength(2);
  });

  it('considers only the critical path in graph mode', () => {
    const phases = { a: { timeoutMs: 3_000 }, b: { timeoutMs: 3_000 } };
    const tasks: [string][] = [['a'], ['b']];

    expect(warn({ phases, timeoutMs: 5_000, concurrency: 'graph' }, tasks)).toBeUndefined();
    expect(warn({ phases, timeoutMs: 5_000 }, tasks)).toContain('phases and hooks may take 7 s');
  });

  it('is available as budgetWarnings() of the shutdown', () => {
    const { shutdown } = setup({ timeoutMs: 5_000 });
    expect(shutdown.budgetWarnings()).toEqual([]);
    shutdown.addTask(Phase.ServiceStop, 'a', run);
    expect(shutdown.budgetWarnings()).toEqual([expect.stringContaining('shutdown budget does not fit')]);
  });
});
