import { deferred } from '@roost/kernel';
import { RecordingLogger } from '@roost/kernel/testing';
import { ManualClock } from '@roost/time/testing';
import { runGracefully, type RunToken, type ScriptOptions } from './index.js';
import { FakeProcess } from './run-gracefully.fixture.js';
import { never, outcomeOf } from './workers.fixture.js';

function setup() {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const process = new FakeProcess();
  const start = <T>(fn: (run: RunToken) => T | Promise<T>, { shutdown, ...options }: ScriptOptions = {}) =>
    runGracefully(fn, { ...options, process, shutdown: { clock, logger, ...shutdown } });
  const listeners = () => process.listenerCount('SIGTERM') + process.listenerCount('SIGINT');
  return { clock, logger, process, start, listeners, settle: () => clock.advanceAsync(0) };
}

describe('runGracefully without a signal', () => {
  it('returns the result, and leaves neither timers nor listeners', async () => {
    const { clock, logger, process, start, listeners } = setup();
    const work = deferred<string>();
    const result = start(() => work.promise);
    expect(listeners()).toBe(2);
    work.resolve('done');

    await expect(result).resolves.toBe('done');
    expect(listeners()).toBe(0);
    expect(clock.pendingTimers).toBe(0);
    expect(process.exits).toEqual([]);
    expect(logger.lines).toEqual([]);
  });

  it.each([
    ['at once', () => thrown('x')],
    ['later', () => Promise.reject(new Error('x'))],
  ])('passes on the error, thrown %s', async (_, fn) => {
    const { process, start, listeners } = setup();
    await expect(start(fn)).rejects.toThrow('x');
    expect(listeners()).toBe(0);
    expect(process.exits).toEqual([]);
  });

  it('works with the real process too', async () => {
    const before = process.listenerCount('SIGTERM');
    await expect(runGracefully((run) => `${run.name} ${run.isRunning()}`, { name: 'import' })).resolves.toBe(
      'import true',
    );
    expect(process.listenerCount('SIGTERM')).toBe(before);
  });

  it('is named after the function', async () => {
    const { start } = setup();
    const importOrders = (run: RunToken) => run.name;
    await expect(start(importOrders)).resolves.toBe('importOrders');
    await expect(start((run) => run.name)).resolves.toBe('script');
  });

  it.each([
    [{ maxWaitMs: 0 }],
    [{ shutdown: { timeoutMs: -1 } }],
    [{ timeoutMs: 5 } as ScriptOptions],
    [{ shutdown: { maxWaitMs: 5 } } as ScriptOptions],
  ])('rejects %j before it starts', async (options) => {
    const { start, listeners } = setup();
    let began = false;
    await expect(start(() => (began = true), options)).rejects.toThrow(/maxWaitMs|timeoutMs/);
    expect(began).toBe(false);
    expect(listeners()).toBe(0);
  });
});

describe('runGracefully on a signal', () => {
  it('ends the loop after the current step, and the process exits with 0', async () => {
    const { process, start, settle } = setup();
    const step = deferred();
    let steps = 0;
    const result = outcomeOf(
      start(async (run) => {
        while (run.isRunning()) {
          steps++;
          await step.promise;
        }
        return 'ended';
      }),
    );
    process.emit('SIGTERM');
    await settle();
    expect(process.exits).toEqual([]);
    expect(result.status).toBe('pending');

    step.resolve();
    await settle();
    expect(result).toEqual({ status: 'resolved', value: 'ended' });
    expect(steps).toBe(1);
    expect(process.exits).toEqual([0]);
  });

  it('exits with 0 when the function ends because of its signal', async () => {
    const { process, logger, start, settle } = setup();
    const result = outcomeOf(
      start(
        (run) =>
          new Promise((_, reject) => run.signal.addEventListener('abort', () => reject(run.signal.reason as Error))),
      ),
    );
    process.emit('SIGTERM');
    await settle();
    // The caller must neither continue nor fail.
    expect(result.status).toBe('pending');
    expect(process.exits).toEqual([0]);
    expect(logger.of('error')).toEqual([]);
  });

  it('exits with 1 when the function fails', async () => {
    const { process, start, settle } = setup();
    const result = outcomeOf(
      start(async (run) => {
        await run.sleep(Infinity);
        throw new Error('half done');
      }),
    );
    process.emit('SIGINT');
    await settle();
    expect(result).toMatchObject({ status: 'rejected', value: { message: 'half done' } });
    expect(process.exits).toEqual([1]);
  });

  it('exits with 1 and names the function when it takes too long', async () => {
    const { clock, process, logger, start } = setup();
    void start(never, { name: 'import', maxWaitMs: 1_000 });
    process.emit('SIGTERM');
    await clock.advanceAsync(1_000);
    expect(process.exits).toEqual([1]);
    expect(logger.of('error').join()).toMatch(/import: for 1 s/);
  });

  it('waits for the configured time, however long it is', async () => {
    const { clock, process, start } = setup();
    void start(
      (run) => run.sleep(Infinity).then(() => new Promise((end) => void clock.setTimer(90_000, () => end(1)))),
      {
        maxWaitMs: 100_000,
      },
    );
    process.emit('SIGTERM');
    await clock.advanceAsync(90_000);
    expect(process.exits).toEqual([0]);
  });

  it('waits no longer than ROOST_TIMEOUT_MS', async () => {
    const { clock, process: proc, start } = setup();
    process.env['ROOST_TIMEOUT_MS'] = '2s';
    try {
      void start(never);
    } finally {
      delete process.env['ROOST_TIMEOUT_MS'];
    }
    proc.emit('SIGTERM');
    await clock.advanceAsync(2_000);
    expect(proc.exits).toEqual([1]);
  });
});

const thrown = (message: string): never => {
  throw new Error(message);
};
