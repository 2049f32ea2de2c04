import { deferred } from '@roost/kernel';
import { restartBackoff, neverRestart } from './index.js';
import { never, outcomeOf, setup, stateOf, steadyBackoff } from './workers.fixture.js';

/** A handler that fails the given number of times and then never returns. */
const failing = (times: number, how: 'throws' | 'rejects' = 'rejects') => {
  let runs = 0;
  const handle = () => {
    if (++runs > times) return never();
    const error = new Error(`failure ${runs}`);
    if (how === 'throws') throw error;
    return Promise.reject(error);
  };
  return { handle, runs: () => runs };
};

describe('a process that fails', () => {
  it.each(['throws', 'rejects'] as const)('is restarted with growing delays when it %s', async (how) => {
    const { clock, workers, logger, run, settle } = setup();
    const { handle, runs } = failing(2, how);
    run(handle);
    await settle();
    expect(workers.describe()).toMatchObject([{ state: 'restarting', restarts: 1, lastError: 'failure 1' }]);
    expect(workers.inFlight).toBe(0);

    await clock.advanceAsync(99);
    expect(runs()).toBe(1);
    await clock.advanceAsync(1);
    expect(runs()).toBe(2);
    await clock.advanceAsync(199);
    expect(runs()).toBe(2);
    await clock.advanceAsync(1);
    expect(runs()).toBe(3);
    expect(workers.describe()).toMatchObject([{ state: 'running', restarts: 2, lastError: 'failure 2' }]);
    expect(logger.lines).toEqual([
      expect.stringMatching(
        /^warn: process "worker" failed; restarting in 100 ms \(restart 1 in a row\): Error: failure 1\n/,
      ),
      expect.stringMatching(
        /^warn: process "worker" failed; restarting in 200 ms \(restart 2 in a row\): Error: failure 2\n/,
      ),
    ]);
  });

  it('has a fresh token in each run, and counts the steps of all runs', async () => {
    const { clock, workers, run } = setup();
    const tokens = new Set<unknown>();
    run((token) => {
      tokens.add(token);
      token.isRunning();
      token.isRunning();
      if (tokens.size === 1) throw new Error('x');
      return never();
    });
    await clock.advanceAsync(100);
    expect(tokens.size).toBe(2);
    expect(workers.describe()).toMatchObject([{ steps: 4 }]);
  });

  it('is not restarted when its policy is exhausted, while the others continue', async () => {
    const { clock, workers, logger, run } = setup();
    run(failing(9).handle, { restart: restartBackoff({ ...steadyBackoff, maxRestarts: 1 }) });
    workers.add({ name: 'other', handle: never });
    await clock.advanceAsync(10_000);

    expect(workers.describe()).toMatchObject([
      { state: 'failed', restarts: 1, lastError: 'failure 2', sinceMs: 9_900 },
      { state: 'running' },
    ]);
    expect(logger.of('error')).toEqual([
      expect.stringMatching(/^error: process "worker" failed after 1 restart in a row and is not restarted: Error: f/),
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is not restarted at all with neverRestart()', async () => {
    const { workers, logger, run, settle } = setup();
    run(failing(1).handle, { restart: neverRestart() });
    await settle();
    expect(stateOf(workers)).toBe('failed');
    expect(logger.lines).toEqual([
      expect.stringMatching(/^error: process "worker" failed and is not restarted: Error: failure 1/),
    ]);
  });

  it('stays failed during a shutdown, which does not fail again because of it', async () => {
    const { workers, run, settle } = setup();
    run(failing(1).handle, { restart: neverRestart() });
    await settle();
    await workers.finish();
    expect(stateOf(workers)).toBe('failed');
  });

  it('is not restarted after the stop request', async () => {
    const { clock, workers, run, settle } = setup();
    const { handle, runs } = failing(5);
    run(handle);
    await settle();
    expect(clock.pendingTimers).toBe(1);

    await workers.finish();
    expect(clock.pendingTimers).toBe(0);
    expect(stateOf(workers)).toBe('stopped');
    await clock.advanceAsync(10_000);
    expect(runs()).toBe(1);
  });

  it('is not restarted when the rest of its run requests the stop', async () => {
    const { clock, workers, run } = setup();
    let runs = 0;
    run((token) => {
      runs++;
      token.signal.addEventListener('abort', () => workers.requestStop());
      throw new Error('x');
    });
    await clock.advanceAsync(10_000);
    expect(runs).toBe(1);
    expect(clock.pendingTimers).toBe(0);
    expect(stateOf(workers)).toBe('stopped');
  });

  it('is not restarted when the logger requests the stop', async () => {
    const { clock, workers, run } = setup({
      logger: { log: () => undefined, warn: () => workers.requestStop(), error: () => undefined },
    });
    const { handle, runs } = failing(5);
    run(handle);
    await clock.advanceAsync(10_000);
    expect(runs()).toBe(1);
    expect(stateOf(workers)).toBe('stopped');
  });

  it('may throw a value that cannot be printed', async () => {
    const { workers, logger, run, settle } = setup();
    run(() => {
      throw Object.create(null) as Error;
    });
    await settle();
    expect(workers.describe()).toMatchObject([{ state: 'restarting', lastError: 'a value that cannot be printed' }]);
    expect(logger.lines).toHaveLength(1);
  });
});

describe('crash loop', () => {
  it('begins with the third failure in a row and ends after a run of resetAfterMs', async () => {
    const { clock, workers, run, settle } = setup();
    run(failing(3).handle);
    const isLoop = () => workers.describe()[0]!.crashLoop;
    await settle();
    expect(isLoop()).toBe(false);
    await clock.advanceAsync(100);
    expect(isLoop()).toBe(false);
    await clock.advanceAsync(200);
    expect(isLoop()).toBe(true);
    await clock.advanceAsync(400);
    expect(stateOf(workers)).toBe('running');
    expect(isLoop()).toBe(true);

    await clock.advanceAsync(9_999);
    expect(isLoop()).toBe(true);
    await clock.advanceAsync(1);
    expect(isLoop()).toBe(false);
  });
});

describe('a process that returns', () => {
  it.each([
    ['at once', () => 5],
    ['later', () => Promise.resolve()],
  ])('finishes (%s)', async (_, handle) => {
    const { clock, workers, logger, run, settle } = setup();
    run(handle);
    await settle();
    expect(workers.describe()).toMatchObject([{ state: 'stopped', restarts: 0 }]);
    expect(logger.lines).toEqual(['log: process "worker" finished']);
    expect(clock.pendingTimers).toBe(0);
    expect(workers.inFlight).toBe(0);
  });

  it('is restarted when the policy says always', async () => {
    const { clock, workers, logger, run } = setup();
    let runs = 0;
    run(() => void runs++, { restart: restartBackoff({ ...steadyBackoff, when: 'always' }) });
    await clock.advanceAsync(300);
    expect(runs).toBe(3);
    expect(stateOf(workers)).toBe('restarting');
    expect(logger.lines[0]).toBe('log: process "worker" returned; restarting in 100 ms (restart 1 in a row)');
  });

  it('is restarted only after its holds are released', async () => {
    const { clock, workers, run } = setup();
    const leases: { release(): void }[] = [];
    run((token) => void leases.push(token.hold()), {
      restart: restartBackoff({ ...steadyBackoff, when: 'always' }),
    });
    await clock.advanceAsync(1_000);
    expect(leases).toHaveLength(1);
    leases[0]!.release();
    expect(stateOf(workers)).toBe('restarting');
    await clock.advanceAsync(100);
    expect(leases).toHaveLength(2);
  });

  it('fails when it returns more often than the policy allows', async () => {
    const { clock, workers, logger, run } = setup();
    run(() => undefined, { restart: restartBackoff({ ...steadyBackoff, when: 'always', maxRestarts: 1 }) });
    await clock.advanceAsync(1_000);
    expect(stateOf(workers)).toBe('failed');
    expect(logger.of('error')).toEqual([
      'error: process "worker" returned after 1 restart in a row and is not restarted',
    ]);
  });

  it('is not restarted while stopping', async () => {
    const { clock, workers, run } = setup();
    let runs = 0;
    run(
      (token) => {
        runs++;
        return token.sleep(Infinity);
      },
      { restart: restartBackoff({ when: 'always' }) },
    );
    await workers.finish();
    expect(runs).toBe(1);
    expect(clock.pendingTimers).toBe(0);
    expect(stateOf(workers)).toBe('stopped');
  });
});

describe('sinceMs', () => {
  it('is the time in the current state', async () => {
    const { clock, workers, run } = setup();
    const end = deferred();
    const since = () => workers.describe().map(({ state, sinceMs }) => [state, sinceMs])[0];
    workers.add({ name: 'first', handle: () => end.promise });
    await clock.advanceAsync(5);
    expect(since()).toEqual(['ready', 5]);
    run(never);
    await clock.advanceAsync(7);
    expect(since()).toEqual(['running', 7]);
    const finished = outcomeOf(workers.finish());
    await clock.advanceAsync(3);
    expect(since()).toEqual(['stopping', 3]);
    end.resolve();
    await clock.advanceAsync(2);
    expect(since()).toEqual(['stopped', 2]);
    expect(finished.status).toBe('pending');
  });
});
