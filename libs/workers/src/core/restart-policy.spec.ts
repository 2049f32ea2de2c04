import { ManualClock } from '@roost/time/testing';
import fc from 'fast-check';
import { InvalidWorkerOptionError } from './errors/invalid-worker-option.error.js';
import { assertRestartPolicy, neverRestart, restartBackoff, Restarts } from './restart-policy.js';

describe('restartBackoff', () => {
  it('has the documented defaults', () => {
    expect(restartBackoff()).toEqual({
      minMs: 200,
      maxMs: 30_000,
      factor: 2,
      jitter: 0.2,
      resetAfterMs: 30_000,
      maxRestarts: Infinity,
      when: 'failure',
    });
    expect(restartBackoff({ maxMs: 500 }).resetAfterMs).toBe(500);
    expect(neverRestart().maxRestarts).toBe(0);
  });

  it.each([
    [{ minMs: 0 }, 'minMs'],
    [{ minMs: 100, maxMs: 99 }, 'maxMs'],
    [{ maxMs: 2 ** 31 }, 'maxMs'],
    [{ factor: 0.5 }, 'factor'],
    [{ jitter: 1.1 }, 'jitter'],
    [{ resetAfterMs: -1 }, 'resetAfterMs'],
    [{ maxRestarts: 1.5 }, 'maxRestarts'],
    [{ when: 'never' }, 'when'],
    [{ min: 1 }, 'min'],
  ])('rejects %j', (options, option) => {
    expect(() => restartBackoff(options as never)).toThrow(InvalidWorkerOptionError);
    expect(() => restartBackoff(options as never)).toThrow(`\`restartBackoff().${option}\` is `);
  });
});

describe('assertRestartPolicy', () => {
  it('accepts policies created by its functions, and nothing else', () => {
    expect(() => assertRestartPolicy(neverRestart(), 'restart')).not.toThrow();
    for (const value of [undefined, null, 'always', {}, { minMs: 5 }]) {
      expect(() => assertRestartPolicy(value, 'restart')).toThrow(InvalidWorkerOptionError);
    }
  });

  it.each([
    [{ maxRestart: 5 }, 'maxRestart'],
    [{ minMs: -1 }, 'minMs'],
    [{ when: 'sometimes' }, 'when'],
  ])('rejects a copy of a policy with %j', (part, option) => {
    const policy = { ...neverRestart(), ...part };
    expect(() => assertRestartPolicy(policy, 'restart')).toThrow(`\`restart.${option}\` is `);
  });
});

describe('Restarts', () => {
  const setup = (options: Parameters<typeof restartBackoff>[0] = {}, random = () => 0) => {
    const clock = new ManualClock();
    const restarts = new Restarts(restartBackoff(options), clock, random);
    /** Records a run of this length and its end. */
    const run = (ms: number, how: 'failed' | 'returned' = 'failed') => {
      restarts.started();
      clock.advance(ms);
      return restarts.ended(how);
    };
    return { restarts, run };
  };

  it('grows the delays up to the maximum', () => {
    const { restarts, run } = setup({ minMs: 100, maxMs: 500 });
    expect([run(0), run(0), run(0), run(0), run(499)]).toEqual([100, 200, 400, 500, 500]);
    expect(restarts.total).toBe(5);
  });

  it('resets the delay after a run of exactly resetAfterMs', () => {
    const { restarts, run } = setup({ minMs: 100, resetAfterMs: 1_000 });
    run(0);
    run(0);
    expect(run(999)).toBe(400);
    expect(restarts.isCrashLoop).toBe(true);
    expect(run(1_000)).toBe(100);
    expect(restarts).toMatchObject({ inARow: 1, total: 4, isCrashLoop: false });
  });

  it('shortens a delay randomly, up to the jitter', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (jitter, chance) => {
          const delay = setup({ minMs: 100, jitter }, () => chance).run(0)!;
          expect(delay).toBeLessThanOrEqual(100);
          expect(delay).toBeGreaterThanOrEqual(100 * (1 - jitter) - 1e-9);
        },
      ),
    );
  });

  it('returns no delay after maxRestarts in a row', () => {
    const { restarts, run } = setup({ minMs: 1, maxRestarts: 2 });
    expect([run(0), run(0), run(0)]).toEqual([1, 2, undefined]);
    expect(restarts.total).toBe(2);
  });

  it('restarts after a normal return only if the policy says so', () => {
    expect(setup().run(0, 'returned')).toBeUndefined();
    expect(setup({ when: 'always' }).run(0, 'returned')).toBe(200);
    expect(setup({ maxRestarts: 0 }).run(0)).toBeUndefined();
  });

  it('reports a crash loop from the third failure in a row on', () => {
    const { restarts, run } = setup();
    const seen = [0, 0, 0].map(() => (run(0), restarts.isCrashLoop));
    expect(seen).toEqual([false, false, true]);
  });
});
