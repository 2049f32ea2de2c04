import { deferred } from '@roost/kernel';
import { InvalidWorkerOptionError, ProcessEndedError, type RunToken, StopRequestedError } from '../index.js';
import { never, outcomeOf, setup, stateOf } from '../workers.fixture.js';

describe('RunToken.isRunning', () => {
  it('is true until the stop is requested, and counts the steps', () => {
    const { workers, run } = setup();
    const { token } = run(never);
    expect([token.isRunning(), token.isRunning(), token.isRunning()]).toEqual([true, true, true]);
    expect(workers.describe()).toMatchObject([{ steps: 3 }]);

    workers.requestStop();
    expect([token.isRunning(), token.isRunning()]).toEqual([false, false]);
    expect(workers.describe()).toMatchObject([{ steps: 3 }]);
  });

  it('lets an existing loop end after its current step', async () => {
    const { workers, run, settle } = setup();
    const steps = [deferred(), deferred()];
    let done = 0;
    run(async (token) => {
      while (token.isRunning()) {
        await steps[done]!.promise;
        done++;
      }
    });
    steps[0]!.resolve();
    await settle();
    const finished = outcomeOf(workers.finish());
    await settle();
    expect(finished.status).toBe('pending');

    steps[1]!.resolve();
    await settle();
    expect(finished.status).toBe('resolved');
    expect(done).toBe(2);
  });

  it('is false after the run has ended', async () => {
    const { run, settle } = setup();
    const { token } = run(() => undefined);
    await settle();
    expect(token.isRunning()).toBe(false);
  });
});

describe('RunToken.signal', () => {
  it('aborts as soon as isRunning() returns false', () => {
    const { workers, run } = setup();
    const { token } = run(never);
    const seen: boolean[] = [];
    token.signal.addEventListener('abort', () => seen.push(token.isRunning()));
    expect(token.signal.aborted).toBe(false);
    expect(token.signal).toBe(token.signal);

    workers.requestStop();
    expect(seen).toEqual([false]);
    expect(token.signal.reason).toBeInstanceOf(StopRequestedError);
    expect(token.signal.reason).toMatchObject({ code: 'WORKERS_STOP_REQUESTED', process: 'worker' });
  });

  it('accepts any number of listeners without a warning from Node', () => {
    const { signal } = setup().run(never).token;
    const limit = Object.getOwnPropertySymbols(signal).find(({ description }) =>
      description?.includes('maxEventTarget'),
    );
    expect(Reflect.get(signal, limit!)).toBe(0);
  });

  it('is already aborted when it is first read after the stop', () => {
    const { workers, run } = setup();
    const { token } = run(never);
    workers.requestStop();
    expect(token.signal.aborted).toBe(true);
    expect(token.signal.reason).toBeInstanceOf(StopRequestedError);
  });

  it('aborts when the process fails, so that the run does not continue alongside the next one', async () => {
    const { clock, run, workers } = setup();
    const tokens: RunToken[] = [];
    const failure = new Error('x');
    const holder = run((token) => {
      tokens.push(token);
      if (tokens.length > 1) return never();
      void token.signal;
      throw failure;
    });
    await clock.advanceAsync(100);
    expect(tokens).toHaveLength(2);
    expect(tokens[0]!.isRunning()).toBe(false);
    expect(tokens[0]!.signal.reason).toMatchObject({ code: 'WORKERS_STOP_REQUESTED', cause: failure });
    expect(holder.token.isRunning()).toBe(true);
    expect(stateOf(workers)).toBe('running');
  });

  it('may have a listener that ends the process or requests the stop again', async () => {
    const { workers, run } = setup();
    const ended = deferred();
    const { token } = run(() => ended.promise);
    token.signal.addEventListener('abort', () => {
      workers.requestStop();
      ended.resolve();
    });
    await workers.finish();
    expect(stateOf(workers)).toBe('stopped');
  });
});

describe('RunToken.signal of a run that ends while others stop', () => {
  it('does not change', async () => {
    const { workers, settle } = setup();
    let first!: RunToken;
    void workers.runGracefully((run) => {
      first = run;
      return never();
    });
    const second = await workers.runGracefully((run) => ({ run, lease: run.hold() }));
    first.signal.addEventListener('abort', () => second.lease.release());
    workers.requestStop();
    await settle();
    expect(first.signal.aborted).toBe(true);
    expect(second.run.signal.aborted).toBe(false);
  });
});

describe('RunToken.sleep', () => {
  it('is true after its time, and leaves no timer running', async () => {
    const { clock, run } = setup();
    const { token } = run(never);
    const slept = outcomeOf(token.sleep(100));
    await clock.advanceAsync(99);
    expect(slept.status).toBe('pending');
    await clock.advanceAsync(1);
    expect(slept).toEqual({ status: 'resolved', value: true });
    expect(clock.pendingTimers).toBe(0);
  });

  it('is false as soon as the stop is requested, and leaves no timer running', async () => {
    const { clock, workers, run, settle } = setup();
    const { token } = run(never);
    const slept = [outcomeOf(token.sleep(100)), outcomeOf(token.sleep(Infinity)), outcomeOf(token.sleep(0))];
    await settle();
    workers.requestStop();
    expect(clock.pendingTimers).toBe(0);
    await settle();
    expect(slept.map(({ value }) => value)).toEqual([false, false, true]);
  });

  it('is false immediately when the process must stop', async () => {
    const { clock, workers, run } = setup();
    const { token } = run(never);
    workers.requestStop();
    await expect(token.sleep(100)).resolves.toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });

  it('keeps the event loop alive while it waits', () => {
    const { clock, run } = setup();
    void run(never).token.sleep(Infinity);
    expect(clock.nextTimerInMs).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('ends with the run', async () => {
    const { clock, run, settle } = setup();
    const { token } = run((given) => void given.sleep(100));
    await settle();
    expect(clock.pendingTimers).toBe(0);
    await expect(token.sleep(5)).resolves.toBe(false);
  });

  it.each([-1, NaN, '5', undefined])('rejects %p', async (ms) => {
    const { run } = setup();
    await expect(run(never).token.sleep(ms as number)).rejects.toThrow(InvalidWorkerOptionError);
  });
});

describe('RunToken.hold', () => {
  it('keeps the process running after its function has returned', async () => {
    const { workers, run, settle } = setup();
    const { token } = run((given) => void given.hold('a'));
    await settle();
    expect(stateOf(workers)).toBe('running');
    expect(token.isRunning()).toBe(true);

    const second = token.hold('b');
    const finished = outcomeOf(workers.finish());
    expect(stateOf(workers)).toBe('stopping');
    second.release();
    await settle();
    expect(finished.status).toBe('pending');
    expect(workers.describe()[0]!.holds.map(({ name }) => name)).toEqual(['a']);
  });

  it('ends when it is released, once', async () => {
    const { workers, run, settle } = setup();
    const { token } = run((given) => void given.hold('first'));
    const lease = token.hold();
    expect(lease.name).toBe('a hold');
    lease.release();
    lease.release();
    lease[Symbol.dispose]();
    await settle();
    expect(workers.describe()[0]!.holds).toMatchObject([{ name: 'first' }]);
    expect(workers.inFlight).toBe(1);
  });

  it('can be released by the end of a block', async () => {
    const { workers, run } = setup();
    await workers.runGracefully((token) => {
      const lease = token.hold('x');
      lease[Symbol.dispose]();
    });
    void run;
    await workers.finish();
    expect(workers.inFlight).toBe(0);
  });

  it('is rejected after the run has ended, because a shutdown would not wait', async () => {
    const { run, settle } = setup();
    const { token } = run(() => undefined);
    await settle();
    expect(() => token.hold('late')).toThrow(ProcessEndedError);
    expect(() => token.hold('late')).toThrow(/hold\("late"\) of "worker" was called after the run had ended/);
    await expect(token.consume([1], never)).rejects.toThrow(ProcessEndedError);
  });

  it('is rejected after the last hold has been released', async () => {
    const { run, settle } = setup();
    let release!: () => void;
    const { token } = run((given) => {
      const lease = given.hold();
      release = () => lease.release();
    });
    await settle();
    token.hold('another').release();
    release();
    expect(() => token.hold()).toThrow(ProcessEndedError);
  });

  it('is rejected after the shutdown has stopped waiting', () => {
    const { workers, run } = setup();
    const { token } = run(never);
    workers.close();
    expect(() => token.hold('late')).toThrow(/hold\("late"\) of "worker" was refused .* have stopped/);
  });

  it('delays the shutdown, and only the shutdown, after its run has failed', async () => {
    const { clock, workers, run, settle } = setup();
    let runs = 0;
    const leases: { release(): void }[] = [];
    run((token) => {
      if (++runs > 1) return token.sleep(Infinity);
      leases.push(token.hold('old'));
      throw new Error('x');
    });
    await clock.advanceAsync(100);
    expect(runs).toBe(2);
    expect(workers.describe()).toMatchObject([{ state: 'running', holds: [{ name: 'old', ageMs: 100 }] }]);

    const finished = outcomeOf(workers.finish());
    await settle();
    expect(finished.status).toBe('pending');
    expect(stateOf(workers)).toBe('stopping');
    leases[0]!.release();
    await settle();
    expect(finished.status).toBe('resolved');
    expect(stateOf(workers)).toBe('stopped');
  });

  it('delays the shutdown, not the caller, when it belongs to runGracefully work', async () => {
    const { workers, settle } = setup();
    const lease = await workers.runGracefully((run) => run.hold('upload'), { name: 'mail' });
    const finished = outcomeOf(workers.finish());
    await settle();
    expect(finished.status).toBe('pending');
    expect(workers.describeInFlight()).toBe('mail: held by upload for 0 ms');
    lease.release();
    await settle();
    expect(finished.status).toBe('resolved');
  });
});
