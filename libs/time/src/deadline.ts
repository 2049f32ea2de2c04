import type { Clock } from './clock.js';
import { assertDuration } from './duration.js';
import { ClockMismatchError } from './errors/clock-mismatch.error.js';
import { systemClock } from './system-clock.js';

/**
 * A point in time by which something must be done. Hand the deadline down instead of a timeout, and every step works
 * with what the steps before it have left.
 *
 * Immutable. Counts on the monotonic clock, so a wall-clock jump neither expires nor extends it. It sets no timer: it
 * only answers when asked.
 *
 * @publicApi
 */
export class Deadline {
  private constructor(
    private readonly clock: Clock,
    private readonly dueAt: number,
  ) {}

  /**
   * A deadline `ms` from now.
   *
   * @param clock @default systemClock
   * @throws InvalidDurationError unless `ms` is a finite number >= 0; for no limit use `Deadline.never()`.
   */
  static after(ms: number, clock: Clock = systemClock): Deadline {
    assertDuration(ms, 'Deadline.after(ms)');
    return new Deadline(clock, clock.monotonic() + ms);
  }

  /**
   * A deadline that does not expire.
   *
   * @param clock the clock of the deadlines it will be compared with. @default systemClock
   */
  static never(clock: Clock = systemClock): Deadline {
    return new Deadline(clock, Infinity);
  }

  /** Milliseconds until the deadline: 0 once it has expired, `Infinity` when it never does. */
  left(): number {
    return Math.max(0, this.dueAt - this.clock.monotonic());
  }

  /** True from the very instant of the deadline on, which is when `left()` is 0. */
  get expired(): boolean {
    return this.left() === 0;
  }

  /**
   * The earlier of the two; this one when both are at the same time.
   *
   * @throws ClockMismatchError when the two run on different clocks, also if one of them never expires.
   */
  min(other: Deadline): Deadline {
    if (this.clock !== other.clock) throw new ClockMismatchError();
    return other.dueAt < this.dueAt ? other : this;
  }
}
