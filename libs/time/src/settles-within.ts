import type { Clock } from './clock.js';
import { assertDuration } from './duration.js';
import { systemClock } from './system-clock.js';

/**
 * Resolves to true when the promise settles, either way, and to false when `ms` pass first. A rejection counts as
 * settled and is not passed on: the caller still has the promise. Leaves no timer behind.
 *
 * Never throws: a bad `ms` rejects with `InvalidDurationError`.
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
