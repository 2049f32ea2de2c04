import { Deadline } from '@roost/time';
import { ManualClock } from '@roost/time/testing';
import type { ShutdownEvent } from './events.js';
import { PhaseRun } from './phase-run.js';
import { UnknownReason } from './reasons.js';
import type { PhaseReport } from './report.js';
import { delay, never, settle } from './shutdown.fixture.js';
import { RecordingLogger } from '@roost/kernel/testing';
import type { ShutdownTaskFunction } from './task.js';

type Tasks = Record<string, ShutdownTaskFunction | [ShutdownTaskFunction, number]>;

const setup = (makeTasks: (clock: ManualClock) => Tasks, { phaseMs = 1_000, overallMs = 10_000 } = {}) => {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const events: ShutdownEvent[] = [];
  const tasks = Object.entries(makeTasks(clock)).map(([name, task]) => {
    const [run, timeoutMs] = Array.isArray(task) ? task : [task, undefined];
    return { name, phase: 'p', run, timeoutMs, declaredBy: 'test' };
  });
  const phase = { name: 'p', index: 0, timeoutMs: phaseMs, recover: true, enabled: true, dependsOn: [] };
  const deadline = Deadline.after(overallMs, clock);
  const emit = (event: ShutdownEvent) => void events.push(event);
  const run = new PhaseRun(phase, tasks, { clock, logger, reason: new UnknownReason(), deadline, emit });
  let report: PhaseReport | undefined;
  const begin = () => void run.start().then((value) => (report = value));
  return { clock, logger, events, run, begin, report: () => report };
};

const typesOf = (events: ShutdownEvent[]) =>
  events.map((event) => ('task' in event ? `${event.type} ${event.task}` : event.type));

describe('PhaseRun', () => {
  it('finishes at once without tasks, and sets no timer', async () => {
    const { clock, events, begin, report } = setup(() => ({}));
    begin();
    expect(clock.pendingTimers).toBe(0);
    await settle(clock);

    expect(report()).toStrictEqual({ name: 'p', status: 'completed', durationMs: 0, tasks: [] });
    expect(events).toEqual([{ type: 'phase.started', phase: 'p', tasks: 0 }]);
  });

  it('starts all tasks together and finishes when the last has settled', async () => {
    const started: string[] = [];
    const work = (clock: ManualClock, name: string, ms: number) => () => {
      started.push(name);
      return delay(clock, ms);
    };
    const { clock, run, begin, report } = setup((clock) => ({ b: work(clock, 'b', 30), a: work(clock, 'a', 10) }));
    begin();

    expect(started).toEqual(['b', 'a']);
    await clock.advanceAsync(10);
    expect([[...run.running].map((task) => task.task), report()]).toEqual([['b'], undefined]);
    await clock.advanceAsync(20);
    expect(report()).toEqual({
      name: 'p',
      status: 'completed',
      durationMs: 30,
      tasks: [
        { name: 'b', status: 'completed', durationMs: 30 },
        { name: 'a', status: 'completed', durationMs: 10 },
      ],
    });
    expect([run.running.size, clock.pendingTimers]).toEqual([0, 0]);
  });

  it('starts the other tasks when one throws, and finishes once when all are synchronous', async () => {
    const { clock, events, begin, report } = setup(() => ({
      bad: () => {
        throw new Error('x');
      },
      good: () => undefined,
    }));
    begin();
    await settle(clock);

    expect(report()!.tasks.map((task) => task.status)).toEqual(['failed', 'completed']);
    expect(report()!.status).toBe('failed');
    expect(typesOf(events)).toEqual([
      'phase.started',
      'task.started bad',
      'task.failed bad',
      'task.started good',
      'task.finished good',
    ]);
  });

  it('abandons only the running tasks when it times out', async () => {
    const { clock, begin, report } = setup((clock) => ({ slow: never, quick: () => delay(clock, 5) }), { phaseMs: 50 });
    begin();
    await clock.advanceAsync(49);
    expect(report()).toBeUndefined();
    await clock.advanceAsync(1);

    expect(report()).toMatchObject({ status: 'timed-out', durationMs: 50 });
    expect(report()!.tasks).toMatchObject([
      { name: 'slow', status: 'timed-out', error: { code: 'SHUTDOWN_TASK_TIMEOUT' } },
      { name: 'quick', status: 'completed' },
    ]);
    expect(report()!.tasks[0]!.error!.message).toContain('phase timeout');
    expect(clock.pendingTimers).toBe(0);
  });

  it('reports timed-out rather than failed when both occurred', async () => {
    const { clock, begin, report } = setup(() => ({ slow: never, bad: () => Promise.reject(new Error('x')) }));
    begin();
    await clock.advanceAsync(1_000);

    expect(report()!.status).toBe('timed-out');
  });

  it('finishes early when every task has hit its own timeout', async () => {
    const { clock, begin, report } = setup(() => ({ a: [never, 10], b: [never, 20] }));
    begin();
    await clock.advanceAsync(20);

    expect(report()).toMatchObject({ durationMs: 20, tasks: [{ durationMs: 10 }, { durationMs: 20 }] });
  });

  it('completes a task that settles at the exact instant of its deadline', async () => {
    const { clock, begin, report } = setup((clock) => ({ a: [() => delay(clock, 50), 50] }), { phaseMs: 50 });
    begin();
    await clock.advanceAsync(50);

    expect(report()!.tasks[0]!.status).toBe('completed');
  });

  it('passes each task the earliest of the task, phase and overall deadlines', () => {
    const left: Record<string, number> = {};
    const ask: ShutdownTaskFunction = (_, context) => void (left[context.task] = context.deadline.left());
    setup(() => ({ own: [ask, 10], long: [ask, 500], none: ask }), { phaseMs: 100 }).begin();
    setup(() => ({ overall: [ask, 10] }), { phaseMs: 100, overallMs: 5 }).begin();

    expect(left).toEqual({ own: 10, long: 100, none: 100, overall: 5 });
  });

  it('counts its time from its start, even if the tasks block the thread before they return', async () => {
    const { clock, begin, report } = setup(
      (clock) => ({
        busy: () => {
          clock.advance(30);
        },
        slow: never,
      }),
      { phaseMs: 50 },
    );
    begin();
    expect(clock.nextTimerInMs).toBe(20);
    await clock.advanceAsync(20);

    expect(report()).toMatchObject({ status: 'timed-out', durationMs: 50 });
  });

  it('expires on request and reports which limit was exceeded', async () => {
    const { clock, run, begin, report } = setup(() => ({ a: never, b: never }));
    begin();
    run.expire('overall');
    await settle(clock);

    expect(report()!.tasks.map((task) => task.error!.message)).toEqual([
      expect.stringContaining('overall deadline'),
      expect.stringContaining('overall deadline'),
    ]);
    expect(clock.pendingTimers).toBe(0);
  });
});
