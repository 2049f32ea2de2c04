/**
 * The only source of time. Code that uses a `Clock` instead of `Date.now()` and `setTimeout()` can be tested with a
 * `ManualClock`, without waiting.
 *
 * @example
 * ```ts
 * import { type Clock, systemClock } from '@roost/time';
 *
 * export class Stopwatch {
 *   readonly #startedAt: number;
 *
 *   constructor(private readonly clock: Clock = systemClock) {
 *     this.#startedAt = clock.monotonic();
 *   }
 *
 *   get elapsedMs(): number {
 *     return this.clock.monotonic() - this.#startedAt;
 *   }
 * }
 * ```
 *
 * @publicApi
 */
export interface Clock {
  /**
   * Wall-clock time in ms since 1970. It may jump either way when the machine's clock is corrected. Use it to show when
   * something happened, never to measure how long it took.
   */
  now(): number;

  /**
   * Milliseconds since an arbitrary start, possibly with fractions. Never decreases. Compare only values of the same
   * clock.
   */
  monotonic(): number;

  /**
   * Calls `callback` once, after `monotonic()` has grown by at least `delayMs`. It never fires early, and never before
   * `setTimer` has returned.
   *
   * @throws InvalidDurationError unless `delayMs` is a finite number >= 0.
   */
  setTimer(delayMs: number, callback: () => void): Timer;
}

/**
 * A pending callback.
 *
 * @publicApi
 */
export interface Timer {
  /**
   * Cancels the callback, which will not run after this returns. Does nothing if the timer has fired or was cancelled.
   */
  cancel(): void;
}
