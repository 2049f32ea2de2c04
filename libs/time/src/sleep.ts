import type { Clock } from './clock.js';
import { assertDuration } from './duration.js';
import { check } from './option-checks.js';
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
 * Never throws: a bad `ms` rejects with `InvalidDurationError`, a misspelt option with `InvalidTimeOptionError`.
 *
 * @publicApi
 */
export function sleep(ms: number, options: SleepOptions = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    assertDuration(ms, 'sleep(ms)');
    check.knownKeys(options, ['clock', 'signal'], 'sleep');
    const { clock = systemClock, signal } = options;
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
