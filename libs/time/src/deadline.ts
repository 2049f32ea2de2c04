import type { Clock } from './clock.js';
import { assertDuration } from './duration.js';
import { ClockMismatchError } from './errors/clock-mismatch.error.js';
import { systemClock } from './system-clock.js';

/**
 * A point in time by which work must be done. Pass a deadline instead of a timeout, and every step gets the time that
 * the earlier steps have left.
 *
 * Immutable. It uses the monotonic clock, so a wall-clock jump neither expires nor extends it. It sets no timer.
 *
 * @example
 * ```ts
 * import { Deadline, seconds } from '@roost/time';
 *
 * const deadline = Deadline.after(seconds(10));
 * const first = await fetch('http://orders.internal/a', { signal: AbortSignal.timeout(Math.ceil(deadline.left())) });
 * if (first.ok && !deadline.expired) {
 *   await fetch('http://orders.internal/b', { signal: AbortSignal.timeout(Math.ceil(deadline.left())) });
 * }
 * ```
 *
 * @publicApi
 */
export class Deadline {
  private constructor(
    private readonly clock: Clock,
    private readonly dueAt: number,
  ) {}

  /**
   * Creates a deadline `ms` from now.
   *
   * @param clock @default systemClock
   * @throws InvalidDurationError unless `ms` is a finite number >= 0; for no limit use `Deadline.never()`.
   */
  static after(ms: number, clock: Clock = systemClock): Deadline {
    assertDuration(ms, 'Deadline.after(ms)');
    return new Deadline(clock, clock.monotonic() + ms);
  }

  /**
   * Creates a deadline that never expires.
   *
   * @param clock clock of the deadlines it will be compared with. @default systemClock
   */
  static never(clock: Clock = systemClock): Deadline {
    return new Deadline(clock, Infinity);
  }

  /** Returns the milliseconds until the deadline: 0 once it has expired, `Infinity` if it never does. */
  left(): number {
    return Math.max(0, this.dueAt - this.clock.monotonic());
  }

  /** Whether the deadline has been reached. True as soon as `left()` is 0. */
  get expired(): boolean {
    return this.left() === 0;
  }

  /**
   * Returns the earlier of two deadlines, or this one if both are at the same time.
   *
   * @throws ClockMismatchError if the two use different clocks, even if one of them never expires.
   */
  min(other: Deadline): Deadline {
    if (this.clock !== other.clock) throw new ClockMismatchError();
    return other.dueAt < this.dueAt ? other : this;
  }
}
