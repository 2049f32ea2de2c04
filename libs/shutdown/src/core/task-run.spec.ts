import { Deadline } from '@roost/time';
import { ManualClock } from '@roost/time/testing';
import { TaskTimeoutError } from './errors/task-timeout.error.js';
import { UnknownReason } from './reasons.js';
import { delay, never, settle, failingOnUnhandled } from './shutdown.fixture.js';
import { RecordingLogger } from '@roost/kernel/testing';
import type { ShutdownTaskFunction } from './task.js';
import { currentTask, TaskRun } from './task-run.js';

const reason = new UnknownReason();

const start = (run: ShutdownTaskFunction, timeoutMs?: number) => {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const settled: TaskRun[] = [];
  const registered = { name: 't', phase: 'p', run, timeoutMs, declaredBy: 'test' };
  const task = new TaskRun(registered, Deadline.after(timeoutMs ?? 1_000, clock), clock, logger, (one) => {
    settled.push(one);
  });
  return { clock, logger, task, settled, begin: () => task.start(reason) };
};

const throwing = (error: unknown) => () => {
  throw error;
};

/** A thenable that is not a promise. */
const thenable = (then: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void) =>
  ({ then }) as unknown;

describe('TaskRun', () => {
  it('passes the task the reason and itself as the context', () => {
    const seen: unknown[] = [];
    const { task, begin } = start((...args) => void seen.push(...args));
    begin();

    expect(seen).toEqual([reason, task]);
    expect([task.phase, task.task, task.deadline.left()]).toEqual(['p', 't', 1_000]);
  });

  it.each<[string, ShutdownTaskFunction]>([
    ['undefined', () => undefined],
    ['null', () => null],
    ['a value', () => 5],
    ['an object with a then that is not a function', () => ({ then: 5 })],
  ])('completes at once when the task returns %s', (_, run) => {
    const { task, settled, begin } = start(run);
    begin();

    expect(task.report).toStrictEqual({ name: 't', status: 'completed', durationMs: 0 });
    expect(settled).toEqual([task]);
  });

  it.each<[string, ShutdownTaskFunction]>([
    ['a promise', () => Promise.resolve()],
    ['a thenable', () => thenable((resolve) => resolve(5))],
    ['a function that is a thenable', () => Object.assign(() => 0, { then: (resolve: () => void) => resolve() })],
    ['a thenable that settles twice', () => thenable((resolve, reject) => [resolve(1), reject(2), resolve(3)])],
  ])('completes when %s resolves', async (_, run) => {
    const { clock, logger, task, settled, begin } = start(run);
    begin();
    expect(task.report).toBeUndefined();
    await settle(clock);

    expect(task.report).toStrictEqual({ name: 't', status: 'completed', durationMs: 0 });
    expect([settled.length, logger.lines]).toEqual([1, []]);
  });

  const hostileThen = Object.defineProperty({}, 'then', { get: throwing(new Error('bad then')) });
  let reads = 0;
  const moodyThen = Object.defineProperty({}, 'then', {
    get: () => {
      if (reads++ % 2 === 0) return () => undefined;
      throw new Error('bad then');
    },
  });

  it.each<[string, ShutdownTaskFunction, object]>([
    ['throws', throwing(new Error('bad')), { message: 'bad' }],
    ['throws a text', throwing('bad'), { message: 'bad' }],
    ['throws undefined', throwing(undefined), { message: 'undefined' }],
    [
      'throws a value that cannot be printed',
      throwing(Object.create(null)),
      { message: 'a value that cannot be printed' },
    ],
    ['rejects', () => Promise.reject(new Error('bad')), { message: 'bad' }],
    [
      'rejects with a code',
      () => Promise.reject(Object.assign(new Error('bad'), { code: 'E1' })),
      { code: 'E1', message: 'bad' },
    ],
    [
      'rejects with a value that cannot be printed',
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- that is the case under test
      () => Promise.reject(Object.create(null)),
      { message: 'a value that cannot be printed' },
    ],
    ['returns a thenable that rejects', () => thenable((_, reject) => reject(new Error('bad'))), { message: 'bad' }],
    ['returns a thenable that throws', () => thenable(throwing(new Error('bad'))), { message: 'bad' }],
    ['returns a thenable whose then cannot be read', () => hostileThen, { message: 'bad then' }],
    ['returns a thenable whose then can be read only once', () => moodyThen, { message: 'bad then' }],
  ])('fails exactly once when the task %s', async (_, run, error) => {
    await failingOnUnhandled(async () => {
      const { clock, task, settled, begin } = start(run);
      begin();
      await settle(clock);

      expect(task.report).toStrictEqual({ name: 't', status: 'failed', durationMs: 0, error });
      expect(settled).toEqual([task]);
    });
  });

  it('measures the duration of the task on the monotonic clock', async () => {
    const { clock, task, begin } = start(() => delay(clock, 40));
    begin();
    clock.jumpWall(-3_600_000);
    await clock.advanceAsync(100);

    expect(task.report!.durationMs).toBe(40);
  });

  it('times out at its own limit and leaves no timer', async () => {
    const { clock, task, settled, begin } = start(never, 70);
    begin();
    await clock.advanceAsync(69);
    expect(task.report).toBeUndefined();
    await clock.advanceAsync(1);

    expect(task.report).toMatchObject({
      status: 'timed-out',
      durationMs: 70,
      error: { code: 'SHUTDOWN_TASK_TIMEOUT' },
    });
    expect(task.report!.error!.message).toContain('abandoned at the task timeout');
    expect([settled.length, clock.pendingTimers]).toEqual([1, 0]);
  });

  it('counts its own limit from its start, even if it blocks the thread before it returns', async () => {
    const { clock, task, begin } = start(() => {
      clock.advance(50);
      return never();
    }, 70);
    begin();

    expect(clock.nextTimerInMs).toBe(20);
    await clock.advanceAsync(20);
    expect(task.report).toMatchObject({ status: 'timed-out', durationMs: 70 });
  });

  it('times out as soon as possible when it blocked longer than its limit', async () => {
    const { clock, task, begin } = start(() => {
      clock.advance(500);
      return never();
    }, 70);
    begin();
    await clock.advanceAsync(0);

    expect(task.report).toMatchObject({ status: 'timed-out', durationMs: 500 });
  });

  it('sets no timer for a synchronous task, and cancels the timer of a task that settles', async () => {
    const sync = start(() => undefined, 70);
    sync.begin();
    expect(sync.clock.pendingTimers).toBe(0);

    const quick = start(() => Promise.resolve(), 70);
    quick.begin();
    expect(quick.clock.pendingTimers).toBe(1);
    await settle(quick.clock);
    expect(quick.clock.pendingTimers).toBe(0);
  });

  it.each(['task', 'phase', 'overall'] as const)(
    'aborts the signal with the error when the %s limit passes',
    (scope) => {
      const { task, begin } = start(never);
      begin();
      const { signal } = task;
      let heard: unknown;
      signal.addEventListener('abort', () => void (heard = signal.reason));
      expect(signal.aborted).toBe(false);
      task.expire(scope);

      expect(heard).toBeInstanceOf(TaskTimeoutError);
      expect(heard).toMatchObject({ task: 't', phase: 'p', scope, durationMs: 0 });
      expect(task.signal).toBe(signal);
    },
  );

  it('returns an aborted signal when first read after the abort', () => {
    const { task, begin } = start(never);
    begin();
    task.expire('phase');

    expect(task.signal.aborted).toBe(true);
    expect(task.signal.reason).toMatchObject({ scope: 'phase' });
  });

  it('does not abort the signal of a task that settled in time', async () => {
    const { clock, task, begin } = start(() => Promise.resolve());
    begin();
    await settle(clock);
    task.expire('overall');

    expect(task.signal.aborted).toBe(false);
    expect(task.report!.status).toBe('completed');
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ['result', () => Promise.resolve(), 'completed after 30 ms'],
    ['failure', () => Promise.reject(new Error('late')), 'failed with "late" after 30 ms'],
    [
      'unprintable failure',
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- that is the case under test
      () => Promise.reject(Object.create(null)),
      'failed with "a value that cannot be printed" after 30 ms',
    ],
  ])('logs a late %s in one line and ignores it', async (_, outcome, text) => {
    await failingOnUnhandled(async () => {
      const { clock, logger, task, settled, begin } = start(() => delay(clock, 30).then(outcome), 10);
      begin();
      await clock.advanceAsync(50);

      expect(logger.lines).toEqual([`warn: task p/t ${text}, too late: reported as timed-out`]);
      expect([settled.length, task.report!.status]).toEqual([1, 'timed-out']);
    });
  });

  it('can be failed from outside, which makes the later outcome of the task late', async () => {
    const { clock, logger, task, settled, begin } = start(() => Promise.resolve());
    begin();
    task.fail(new Error('no'));
    task.expire('phase');
    await settle(clock);

    expect(task.report).toMatchObject({ status: 'failed', error: { message: 'no' } });
    expect([settled.length, logger.lines.length]).toEqual([1, 1]);
  });

  it('sets no timer if it was failed before the task returned', () => {
    const { clock, task, begin } = start((_reason, context) => {
      (context as TaskRun).fail(new Error('no'));
      return never();
    }, 50);
    begin();

    expect(task.report!.status).toBe('failed');
    expect(clock.pendingTimers).toBe(0);
  });

  it('is the current task for all code the task runs, and for no other code', async () => {
    const seen: unknown[] = [];
    const { clock, task, begin } = start(async () => {
      seen.push(currentTask());
      await delay(clock, 5);
      seen.push(currentTask());
    });
    begin();
    seen.push(currentTask());
    await clock.advanceAsync(10);

    expect(seen).toEqual([task, undefined, task]);
    expect(currentTask()).toBeUndefined();
  });

  it('prints phase, name, duration and progress text', () => {
    const { clock, task, begin } = start(never);
    begin();
    clock.advance(1_500);
    expect(String(task)).toBe('p/t (1.5 s)');
    const { progress } = task;
    progress(() => '3 requests in flight');
    expect(String(task)).toBe('p/t (1.5 s: 3 requests in flight)');
    progress(throwing(new Error('oops')));
    expect(String(task)).toBe('p/t (1.5 s: progress() threw: oops)');
    progress(() => Object.create(null) as string);
    expect(String(task)).toContain('progress() threw: ');
  });
});
