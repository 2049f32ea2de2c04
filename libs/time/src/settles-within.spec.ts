import { deferred } from '@roost/kernel';
import { InvalidDurationError } from './errors/invalid-duration.error.js';
import { settlesWithin } from './settles-within.js';
import { ManualClock } from './testing/manual-clock.js';

describe('settlesWithin', () => {
  it.each([
    ['resolved', Promise.resolve('x')],
    ['rejected', Promise.reject(new Error('no'))],
  ])('resolves to true when the promise is %s in time, and leaves no timer', async (_, promise) => {
    const clock = new ManualClock();

    await expect(settlesWithin(promise, 100, clock)).resolves.toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('resolves to false at the limit and not before', async () => {
    const clock = new ManualClock();
    const result = settlesWithin(new Promise(() => undefined), 100, clock);
    let seen: boolean | undefined;
    void result.then((value) => (seen = value));

    await clock.advanceAsync(99);
    expect(seen).toBeUndefined();
    await clock.advanceAsync(1);
    expect(seen).toBe(false);
  });

  it('stays false when the promise settles later', async () => {
    const clock = new ManualClock();
    const late = deferred();
    const result = settlesWithin(late.promise, 10, clock);
    await clock.advanceAsync(10);
    late.resolve();

    await expect(result).resolves.toBe(false);
  });

  it('prefers an already settled promise over a limit of 0 ms', async () => {
    const clock = new ManualClock();
    const result = settlesWithin(Promise.resolve(), 0, clock);
    await clock.advanceAsync(0);

    await expect(result).resolves.toBe(true);
  });

  it.each([-1, NaN, Infinity])('rejects a limit of %p ms', async (ms) => {
    await expect(settlesWithin(Promise.resolve(), ms, new ManualClock())).rejects.toThrow(InvalidDurationError);
  });

  it('uses the system clock by default', async () => {
    await expect(settlesWithin(Promise.resolve(), 60_000)).resolves.toBe(true);
  });
});
