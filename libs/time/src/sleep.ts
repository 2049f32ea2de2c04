import type { Clock } from './clock.js';
import { assertDuration } from './duration.js';
import { systemClock } from './system-clock.js';

/** @publicApi */
export interface SleepOptions {
  /** @default systemClock */
  clock?: Clock;
  /** Ends the sleep early. */
  signal?: AbortSignal;
}

/**
 * Resolves after `ms`. When `signal` aborts first, or already has, rejects at once with `signal.reason`. Either way it
 * leaves neither a timer nor an abort listener behind.
 *
 * Never throws: a bad `ms` rejects with `InvalidDurationError`.
 *
 * @publicApi
 */
export function sleep(ms: number, { clock = systemClock, signal }: SleepOptions = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    assertDuration(ms, 'sleep(ms)');
    signal?.throwIfAborted();

    const timer = clock.setTimer(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    const onAbort = (): void => {
      timer.cancel();
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
