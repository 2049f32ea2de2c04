import { once } from 'node:events';
import { EventEmitter } from 'node:events';
import { setTimeout as sleepOfNode } from 'node:timers/promises';
import { deferred } from '@roost/kernel';
import { ProcessesFailedError, ProcessesStuckError, type RunToken } from './index.js';
import { never, outcomeOf, setup, stateOf } from './workers.fixture.js';

const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('Workers.finish', () => {
  it('resolves immediately when nothing runs, and again', async () => {
    const { clock, workers } = setup();
    await workers.finish();
    await workers.finish();
    expect(workers.state).toBe('stopping');
    expect(clock.pendingTimers).toBe(0);
  });

  it('resolves in the turn in which the last run ends', async () => {
    const { workers, run } = setup();
    const end = deferred();
    run(() => end.promise);
    const order: string[] = [];
    const finished = workers.finish().then(() => order.push('finished'));
    setImmediate(() => order.push('next turn'));
    end.resolve();
    await finished;
    expect(order).toEqual(['finished']);
  });

  it('leaves no timer running', async () => {
    const { clock, workers, run } = setup();
    run((token) => token.sleep(Infinity));
    await Promise.all([workers.finish(), workers.finish(), workers.finish(5)]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('stops waiting after maxWaitMs and names the worker, its work and its duration', async () => {
    const { clock, workers, run } = setup({ maxWaitMs: 5_000 });
    const { token } = run(never);
    token.isRunning();
    token.hold('order 42');
    const finished = errorOf(workers.finish());
    await clock.advanceAsync(4_999);
    expect(clock.pendingTimers).toBe(1);
    await clock.advanceAsync(1);
    const error = (await finished) as ProcessesStuckError;
    expect(error).toBeInstanceOf(ProcessesStuckError);
    expect(error).toMatchObject({ code: 'WORKERS_STUCK', processes: ['worker'], waitedMs: 5_000 });
    expect(error.message).toMatch(/^Still running after 5 s: worker: step 1 \(order 42 for 5 s\)\. /);
    expect(clock.pendingTimers).toBe(0);
    expect(stateOf(workers)).toBe('stopping');
  });

  it('stops waiting after its limit when that is shorter', async () => {
    const { clock, workers, run } = setup();
    run(never);
    const finished = errorOf(workers.finish(50));
    await clock.advanceAsync(50);
    await expect(finished).resolves.toMatchObject({ waitedMs: 50 });
    await expect(errorOf(workers.finish(0))).resolves.toMatchObject({ waitedMs: 0 });
    await expect(errorOf(workers.finish(-5))).resolves.toMatchObject({ waitedMs: 0 });
  });

  it('ignores runs that end after it stopped waiting', async () => {
    const { clock, workers, run } = setup({ maxWaitMs: 10 });
    run(never);
    const finished = errorOf(workers.finish());
    await clock.advanceAsync(10);
    await finished;
    void workers.runGracefully(never);
    expect(clock.pendingTimers).toBe(0);
  });

  it('waits for the others after one has used up its time', async () => {
    const { clock, workers, run } = setup({ maxWaitMs: 10_000 });
    const end = deferred();
    run(never, { name: 'short', maxWaitMs: 1_000 });
    run(() => end.promise, { name: 'long' });
    const finished = outcomeOf(workers.finish());
    await clock.advanceAsync(5_000);
    expect(finished.status).toBe('pending');
    end.resolve();
    await clock.advanceAsync(0);
    expect(finished).toMatchObject({ status: 'rejected', value: { processes: ['short'], waitedMs: 5_000 } });
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not report a run that ends late but before the others', async () => {
    const { clock, workers, run } = setup({ maxWaitMs: 10_000 });
    const [short, long] = [deferred(), deferred()];
    run(() => short.promise, { name: 'short', maxWaitMs: 1_000 });
    run(() => long.promise, { name: 'long' });
    const finished = outcomeOf(workers.finish());
    await clock.advanceAsync(5_000);
    short.resolve();
    await clock.advanceAsync(1_000);
    long.resolve();
    await clock.advanceAsync(0);
    expect(finished.status).toBe('resolved');
  });

  it('counts from the stop request, so that a second call does not wait again', async () => {
    const { clock, workers, run } = setup({ maxWaitMs: 5_000 });
    run(never);
    workers.requestStop();
    await clock.advanceAsync(3_000);
    const first = outcomeOf(workers.finish());
    await clock.advanceAsync(1_999);
    expect(first.status).toBe('pending');
    await clock.advanceAsync(1);
    expect(first).toMatchObject({ status: 'rejected', value: { waitedMs: 2_000 } });
    await expect(errorOf(workers.finish())).resolves.toMatchObject({ waitedMs: 0 });
  });

  it('gives work that starts while stopping its own time', async () => {
    const { clock, workers, run } = setup({ maxWaitMs: 5_000 });
    const end = deferred();
    run(() => end.promise, { maxWaitMs: 60_000 });
    const finished = outcomeOf(workers.finish());
    await clock.advanceAsync(3_000);
    void workers.runGracefully(never, { name: 'stuck' });
    await clock.advanceAsync(20_000);
    end.resolve();
    await clock.advanceAsync(0);
    expect(finished).toMatchObject({ status: 'rejected', value: { processes: ['stuck'], waitedMs: 23_000 } });
  });

  it('waits the full time for work that started while stopping', async () => {
    const { clock, workers } = setup({ maxWaitMs: 5_000 });
    const finishing = deferred();
    void workers.runGracefully(() => finishing.promise);
    const finished = outcomeOf(workers.finish());
    await clock.advanceAsync(3_000);
    const work = deferred();
    void workers.runGracefully(() => work.promise);
    finishing.resolve();
    await clock.advanceAsync(4_000);
    expect(finished.status).toBe('pending');
    work.resolve();
    await clock.advanceAsync(0);
    expect(finished.status).toBe('resolved');
  });

  it('does not count the time before the stop for the holds of an earlier run', async () => {
    const { clock, workers, run } = setup({ maxWaitMs: 5_000 });
    let lease!: { release(): void };
    let runs = 0;
    run((token) => {
      if (++runs > 1) return token.sleep(Infinity);
      lease = token.hold();
      throw new Error('x');
    });
    await clock.advanceAsync(60_000);
    const finished = outcomeOf(workers.finish());
    await clock.advanceAsync(4_000);
    lease.release();
    await clock.advanceAsync(0);
    expect(finished.status).toBe('resolved');
  });

  it('does not scan all runs whenever one ends', async () => {
    const { clock, workers, settle } = setup();
    const ends = Array.from({ length: 100 }, () => deferred());
    for (const { promise } of ends) void workers.runGracefully(() => promise);
    const monotonic = import.meta.jest.spyOn(clock, 'monotonic');
    const finished = outcomeOf(workers.finish());
    for (const { resolve } of ends) resolve();
    await settle();
    expect(finished.status).toBe('resolved');
    expect(monotonic.mock.calls.length).toBeLessThan(10);
  });
});

describe('a process that throws after the stop was requested', () => {
  it('fails the finish without a restart, and the others are still awaited', async () => {
    const { clock, workers, logger, run, settle } = setup();
    const end = deferred();
    let runs = 0;
    run(
      async (token) => {
        runs++;
        await token.sleep(Infinity);
        throw new Error('cannot flush');
      },
      { name: 'flusher' },
    );
    run(() => end.promise, { name: 'other' });
    const finished = outcomeOf(workers.finish());
    await settle();
    expect(finished.status).toBe('pending');
    expect(stateOf(workers, 'flusher')).toBe('failed');
    expect(logger.of('error')).toEqual([
      expect.stringMatching(/^error: process "flusher" failed while stopping: Error: cannot flush\n/),
    ]);

    end.resolve();
    await settle();
    expect(finished.value).toBeInstanceOf(ProcessesFailedError);
    expect(finished.value).toMatchObject({
      code: 'WORKERS_FAILED_WHILE_STOPPING',
      failures: [{ process: 'flusher' }],
      cause: new Error('cannot flush'),
    });
    expect(String(finished.value)).toMatch(/"flusher" \(cannot flush\)/);
    await clock.advanceAsync(60_000);
    expect(runs).toBe(1);
    await expect(workers.finish()).rejects.toThrow(ProcessesFailedError);
  });

  it('is named together with stuck processes', async () => {
    const { clock, workers, run } = setup({ maxWaitMs: 10 });
    run(never);
    run((token) => token.sleep(Infinity).then(() => Promise.reject(new Error('lost'))), { name: 'flusher' });
    const finished = errorOf(workers.finish());
    await clock.advanceAsync(10);
    await expect(finished).resolves.toMatchObject({
      code: 'WORKERS_STUCK',
      cause: { code: 'WORKERS_FAILED_WHILE_STOPPING' },
    });
  });

  const normal: [string, (run: RunToken) => Promise<unknown>][] = [
    ['throwIfAborted', async (run) => (await run.sleep(Infinity), run.signal.throwIfAborted())],
    ['timers of Node', (run) => sleepOfNode(60_000, undefined, { signal: run.signal })],
    ['events of Node', (run) => once(new EventEmitter(), 'x', { signal: run.signal })],
    [
      'an error that was caused by it',
      async (run) => {
        await run.sleep(Infinity);
        throw new Error('query cancelled', { cause: run.signal.reason });
      },
    ],
    [
      'an AbortError without a cause',
      async (run) => {
        await run.sleep(Infinity);
        throw new DOMException('Request aborted', 'AbortError');
      },
    ],
  ];
  it.each(normal)('ends normally when it only reports the abort: %s', async (_, handle) => {
    const { workers, logger, run } = setup();
    run(handle);
    await workers.finish();
    expect(stateOf(workers)).toBe('stopped');
    expect(logger.lines).toEqual([]);
  });

  it('fails when something else aborted it', async () => {
    const { workers, run } = setup();
    run(async (token) => {
      await token.sleep(Infinity);
      await sleepOfNode(60_000, undefined, { signal: AbortSignal.abort(new Error('too slow')) });
    });
    await expect(workers.finish()).rejects.toThrow(ProcessesFailedError);
  });
});
