import type { Clock } from '@roost/time';

/** How far behind it may be. */
export const COARSE_MS = 50;

/**
 * Tells the time to within `COARSE_MS`. On the path of every request reading a real clock would be the most expensive
 * thing we do, so while there is traffic a timer reads it for all of them.
 */
export class CoarseClock {
  #now = 0;
  #ticking = false;
  #used = false;

  constructor(private readonly clock: Clock) {}

  /** Monotonic; at most `COARSE_MS` ago, or as long as the event loop was blocked. */
  now(): number {
    this.#used = true;
    if (!this.#ticking) this.#tick();
    return this.#now;
  }

  #tick(): void {
    this.#ticking = true;
    this.#used = false;
    this.#now = this.clock.monotonic();
    this.clock.setTimer(COARSE_MS, () => {
      if (this.#used) this.#tick();
      else this.#ticking = false;
    });
  }
}
