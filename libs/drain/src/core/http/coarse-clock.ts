import type { Clock } from '@roost/time';

/** Maximum lag of the coarse clock, in ms. */
export const COARSE_MS = 50;

/**
 * Tells the time to within `COARSE_MS`. Reading a real clock would be the most expensive step in counting a request, so
 * while there is traffic a timer reads it for all requests.
 */
export class CoarseClock {
  #now = 0;
  #ticking = false;
  #used = false;

  constructor(private readonly clock: Clock) {}

  /** Monotonic time in ms. It lags by up to `COARSE_MS`, or longer if the event loop was blocked. */
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
