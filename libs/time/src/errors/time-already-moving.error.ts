import { TimeError } from './time.error.js';

/**
 * A `ManualClock` was moved while an earlier move was still running.
 *
 * @internal
 */
export class TimeAlreadyMovingError extends TimeError {
  constructor(
    readonly called: string,
    readonly running: string,
  ) {
    super(
      'TIME_ALREADY_MOVING',
      `ManualClock.${called}() was called while ${running}() is still running. ` +
        'Move time from the test only, never from a timer callback, and await an async move before the next one.',
    );
  }
}
