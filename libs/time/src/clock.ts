/**
 * The only source of time. Code that takes a `Clock` instead of calling `Date.now()` and `setTimeout()` can be tested
 * on a `ManualClock`, without waiting.
 *
 * @publicApi
 */
export interface Clock {
  /**
   * Wall-clock time in ms since 1970. It may jump either way when the machine's clock is corrected, so use it to tell
   * people when something happened and never to measure how long it took.
   */
  now(): number;

  /** Milliseconds since an arbitrary start, fractions allowed. Never goes back. Compare values of one clock only. */
  monotonic(): number;

  /**
   * Calls `callback` once, when `monotonic()` has grown by at least `delayMs`: never early, and never before `setTimer`
   * has returned.
   *
   * @throws InvalidDurationError unless `delayMs` is a finite number >= 0.
   */
  setTimer(delayMs: number, callback: () => void): Timer;
}

/**
 * A callback that waits for its time.
 *
 * @publicApi
 */
export interface Timer {
  /** After this returns the callback will not run. Calling it again, or after the timer has fired, does nothing. */
  cancel(): void;
}
