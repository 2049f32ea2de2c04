import type { SupervisionStrategy } from './strategy.js';

/** The restarts of one actor: how many there were, and whether it may have another one. */
export class RestartHistory {
  count = 0;
  /** Times of the restarts within the window, oldest first. */
  readonly #recent: number[] = [];
  /** When it began to run again; Infinity while it has not. */
  #runsSince = -Infinity;
  #inARow = 0;

  /** Takes note of a restart at `now` and says which one in a row it is, from 0; undefined when it is one too many. */
  next({ maxRetries, windowMs, backoff }: SupervisionStrategy, now: number): number | undefined {
    if (maxRetries !== Infinity) {
      while (this.#recent.length > 0 && now - this.#recent[0]! >= windowMs) this.#recent.shift();
      if (this.#recent.length >= maxRetries) return undefined;
      this.#recent.push(now);
    }
    const begins = backoff === undefined || now - this.#runsSince >= backoff.resetAfterMs;
    this.#inARow = begins ? 0 : this.#inARow + 1;
    this.#runsSince = Infinity;
    this.count++;
    return this.#inARow;
  }

  /** The fresh instance is running. */
  restarted(now: number): void {
    this.#runsSince = now;
  }
}
