import type { Clock } from '@roost/time';
import type { RestartHistory } from './strategy.js';

/** The restarts of one actor: the engine adds to it, strategies read it. */
export class RestartRecord implements RestartHistory {
  count = 0;
  readonly #clock: Clock;
  /** Times of the last restarts, oldest first. */
  #times: number[] = [];
  /** The longest window that was asked for. Without any, no time is kept. */
  #longestWindowMs = 0;
  /** Time at which the present instance began to run; Infinity while there is none. */
  #runsSince = -Infinity;
  #inARow = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  within(windowMs: number): number {
    this.#longestWindowMs = Math.max(this.#longestWindowMs, windowMs);
    const now = this.#clock.monotonic();
    return this.#times.filter((time) => now - time < windowMs).length;
  }

  inARow(resetAfterMs: number): number {
    if (this.#clock.monotonic() - this.#runsSince >= resetAfterMs) this.#inARow = 0;
    return this.#inARow;
  }

  /** A restart begins. */
  begin(): void {
    this.count++;
    this.#inARow++;
    this.#runsSince = Infinity;
    if (this.#longestWindowMs === 0) return;
    const now = this.#clock.monotonic();
    this.#times = this.#times.filter((time) => now - time < this.#longestWindowMs);
    this.#times.push(now);
  }

  /** The fresh instance runs. */
  finish(): void {
    this.#runsSince = this.#clock.monotonic();
  }
}
