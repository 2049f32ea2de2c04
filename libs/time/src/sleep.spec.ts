import { getEventListeners } from 'node:events';
import { InvalidDurationError } from './errors/invalid-duration.error.js';
import { sleep } from './sleep.js';
import { ManualClock } from './testing/manual-clock.js';

describe('sleep', () => {
  it('resolves after `ms` and not before', async () => {
    const clock = new ManualClock();
    let awake = false;
    const sleeping = sleep(100, { clock }).then(() => (awake = true));

    await clock.advanceAsync(99);
    expect(awake).toBe(false);
    await clock.advanceAsync(1);
    expect(awake).toBe(true);
    await sleeping;
  });

  it('rejects with the reason of an already aborted signal, and sets no timer', async () => {
    const clock = new ManualClock();
    const reason = new Error('stopping');

    await expect(sleep(100, { clock, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(clock.pendingTimers).toBe(0);
  });

  it('rejects at once when the signal aborts, and leaves no timer or listener', async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const sleeping = sleep(100, { clock, signal: controller.signal });
    const reason = new Error('stopping');

    controller.abort(reason);

    expect(clock.pendingTimers).toBe(0);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    await expect(sleeping).rejects.toBe(reason);
  });

  it('removes its abort listener after the sleep', async () => {
    const clock = new ManualClock();
    const { signal } = new AbortController();
    const sleeping = sleep(100, { clock, signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);

    clock.advance(100);

    expect(getEventListeners(signal, 'abort')).toEqual([]);
    await sleeping;
  });

  it('stays resolved when the signal aborts afterwards', async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const sleeping = sleep(100, { clock, signal: controller.signal });

    clock.advance(100);
    controller.abort();

    await expect(sleeping).resolves.toBeUndefined();
  });

  it.each([-1, NaN, Infinity])('rejects instead of throwing for %p ms', async (bad) => {
    await expect(sleep(bad, { clock: new ManualClock() })).rejects.toThrow(InvalidDurationError);
  });

  it('uses the system clock by default', async () => {
    await expect(sleep(0)).resolves.toBeUndefined();
  });
});
