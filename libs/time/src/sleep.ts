import type { Clock } from './clock.js';
import { assertDuration } from './duration.js';
import { check } from './option-checks.js';
import { systemClock } from './system-clock.js';

/** @publicApi */
export interface SleepOptions {
  /** @default systemClock */
  clock?: Clock;
  /** Aborts the sleep. */
  signal?: AbortSignal;
}

/**
 * Resolves after `ms`. If `signal` aborts first, or has already aborted, rejects at once with `signal.reason`. In both
 * cases it leaves neither a timer nor an abort listener behind.
 *
 * Never throws: an invalid `ms` rejects with `InvalidDurationError`, and an unknown option with
 * `InvalidTimeOptionError`.
 *
 * @example
 * ```ts
 * import { sleep } from '@roost/time';
 *
 * export async function poll(check: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
 *   while (!(await check())) await sleep(500, { signal });
 * }
 * ```
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
