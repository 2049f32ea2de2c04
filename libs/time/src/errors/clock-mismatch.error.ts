import { TimeError } from './time.error.js';

/**
 * Two deadlines of different clocks were compared. Their times have no common zero, so any result would be a guess.
 *
 * @publicApi
 */
export class ClockMismatchError extends TimeError {
  constructor() {
    super(
      'TIME_CLOCK_MISMATCH',
      'Deadline.min() got a deadline that runs on another clock, so the two cannot be compared. ' +
        'Create both deadlines with the same Clock.',
    );
  }
}
