import type { Clock } from '@roost/time';
import type { RestartHistory } from './strategy.js';

/** The restarts of one actor. The engine writes it, strategies read it. */
export class RestartRecord implements RestartHistory {
  count = 0;
  readonly #clock: Clock;
  /** Times of recent restarts, oldest first. */
  #times: number[] = [];
  /** Longest window requested so far. Until one is requested, no times are kept. */
  #longestWindowMs = 0;
  /** Time at which the current instance started; Infinity while there is none. */
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

  /** Records the start of a restart. */
  begin(): void {
    this.count++;
    this.#inARow++;
    this.#runsSince = Infinity;
    if (this.#longestWindowMs === 0) return;
    const now = this.#clock.monotonic();
    this.#times = this.#times.filter((time) => now - time < this.#longestWindowMs);
    this.#times.push(now);
  }

  /** Records that the new instance is running. */
  finish(): void {
    this.#runsSince = this.#clock.monotonic();
  }
}
