import { InvalidDurationError } from './errors/invalid-duration.error.js';
import { systemClock } from './system-clock.js';
import { MAX_TIMEOUT_MS } from '@roost/kernel';

const { jest } = import.meta;

describe('systemClock', () => {
  it('returns the wall-clock time', () => {
    const before = Date.now();
    const now = systemClock.now();

    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now());
  });

  it('fires a real timer once monotonic() has grown by the delay', async () => {
    const start = systemClock.monotonic();
    await new Promise<void>((resolve) => systemClock.setTimer(5.5, resolve));

    expect(systemClock.monotonic() - start).toBeGreaterThanOrEqual(5.5);
  });

  it.each([-1, NaN, Infinity, '5' as unknown as number])('refuses a delay of %p', (bad) => {
    expect(() => systemClock.setTimer(bad, () => undefined)).toThrow(InvalidDurationError);
  });
});

describe('systemClock timers', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const fired = () => {
    const calls: number[] = [];
    return { calls, callback: () => void calls.push(systemClock.monotonic()) };
  };

  it('fire once, when due', () => {
    const { calls, callback } = fired();
    systemClock.setTimer(100, callback);

    jest.advanceTimersByTime(99);
    expect(calls).toEqual([]);
    jest.advanceTimersByTime(1000);
    expect(calls).toEqual([100]);
  });

  it('do not fire after cancel, no matter how often it is called', () => {
    const { calls, callback } = fired();
    const timer = systemClock.setTimer(100, callback);

    timer.cancel();
    timer.cancel();

    expect(jest.getTimerCount()).toBe(0);
    jest.advanceTimersByTime(1000);
    expect(calls).toEqual([]);
  });

  it('ignore cancel after firing', () => {
    const { calls, callback } = fired();
    const timer = systemClock.setTimer(100, callback);

    jest.advanceTimersByTime(100);
    timer.cancel();

    expect(calls).toEqual([100]);
  });

  it('wait for a delay that setTimeout does not support', () => {
    const { calls, callback } = fired();
    const delayMs = 2 * MAX_TIMEOUT_MS + 5;
    systemClock.setTimer(delayMs, callback);

    jest.advanceTimersByTime(delayMs - 1);
    expect(calls).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(calls).toEqual([delayMs]);
  });

  it('can be cancelled in a later step of a long delay', () => {
    const { calls, callback } = fired();
    const timer = systemClock.setTimer(2 * MAX_TIMEOUT_MS, callback);

    jest.advanceTimersByTime(MAX_TIMEOUT_MS + 1);
    timer.cancel();

    expect(jest.getTimerCount()).toBe(0);
    expect(calls).toEqual([]);
  });

  it('keep waiting when setTimeout wakes them a fraction early', () => {
    const { calls, callback } = fired();
    systemClock.setTimer(100, callback);
    const early = jest.spyOn(performance, 'now').mockReturnValue(99.9);

    jest.advanceTimersByTime(100);
    expect(calls).toEqual([]);
    early.mockRestore();
    jest.advanceTimersByTime(1);
    expect(calls).toEqual([101]);
  });

  it('wait once, not twice, for a fraction of a ms', () => {
    const { calls, callback } = fired();
    const setTimeout = jest.spyOn(globalThis, 'setTimeout');
    systemClock.setTimer(5.5, callback);

    jest.advanceTimersByTime(6);
    expect(calls).toEqual([6]);
    expect(setTimeout).toHaveBeenCalledTimes(1);
    setTimeout.mockRestore();
  });

  it('keep the process alive', () => {
    jest.useRealTimers();
    const setTimeout = jest.spyOn(globalThis, 'setTimeout');
    const timer = systemClock.setTimer(60_000, () => undefined);
    const handle = setTimeout.mock.results[0]?.value as NodeJS.Timeout;

    expect(handle.hasRef()).toBe(true);
    timer.cancel();
    setTimeout.mockRestore();
  });
});
