import type { Clock } from './clock.js';
import { assertDuration } from './duration.js';
import { systemClock } from './system-clock.js';

/**
 * Resolves to true if the promise settles, either way, and to false if `ms` pass first. A rejection counts as settled
 * and is not forwarded, because the caller still has the promise. Leaves no timer behind.
 *
 * Never throws: an invalid `ms` rejects with `InvalidDurationError`.
 *
 * @example
 * ```ts
 * import { settlesWithin } from '@roost/time';
 *
 * export async function closeOrWarn(closing: Promise<void>): Promise<void> {
 *   if (!(await settlesWithin(closing, 2_000))) console.warn('still closing after 2 s');
 * }
 * ```
 *
 * @publicApi
 */
export function settlesWithin(promise: PromiseLike<unknown>, ms: number, clock: Clock = systemClock): Promise<boolean> {
  return new Promise((resolve) => {
    assertDuration(ms, 'settlesWithin(ms)');
    const timer = clock.setTimer(ms, () => resolve(false));
    const settled = (): void => {
      timer.cancel();
      resolve(true);
    };
    promise.then(settled, settled);
  });
}
