import { backoffDelayMs, resolveBackoff } from './backoff.js';

describe('backoffDelayMs', () => {
  const backoff = resolveBackoff({ minMs: 100, maxMs: 1_000, factor: 2, jitter: 0.5 }, 'test');

  it('doubles up to the maximum', () => {
    const delays = [0, 1, 2, 3, 4, 5, 2_000].map((attempt) => backoffDelayMs(backoff, attempt, () => 0));

    expect(delays).toEqual([100, 200, 400, 800, 1_000, 1_000, 1_000]);
  });

  it('is shortened randomly, by at most the jitter', () => {
    expect(backoffDelayMs(backoff, 1, () => 0.5)).toBe(150);
    expect(backoffDelayMs(backoff, 1, () => 0.999)).toBeCloseTo(100, 0);
    expect(backoffDelayMs({ ...backoff, jitter: 0 }, 1, () => 0.999)).toBe(200);
  });

  it('has these defaults', () => {
    expect(resolveBackoff({}, 'test')).toEqual({
      minMs: 200,
      maxMs: 30_000,
      factor: 2,
      jitter: 0.2,
      resetAfterMs: 30_000,
    });
  });
});
