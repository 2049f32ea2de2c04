import { TimeError } from './time.error.js';

/**
 * A `ManualClock` ran a million timers at one instant and would most likely never finish.
 *
 * @internal
 */
export class RunawayTimersError extends TimeError {
  constructor(
    readonly limit: number,
    readonly atMs: number,
  ) {
    super(
      'TIME_RUNAWAY_TIMERS',
      `ManualClock ran ${limit} timers at ${atMs} ms and more are due at that same instant. ` +
        'Look for a callback or loop that keeps setting a timer of 0 ms, and give it a delay.',
    );
  }
}
