import type { Clock } from '@roost/time';

const LINES = 20;
const PERIOD_MS = 60_000;

/** Limits the number of log lines per minute, so that a client that keeps retrying does not fill the log. */
export class LogQuota {
  #left = LINES;
  #since: number;

  constructor(private readonly clock: Clock) {
    this.#since = clock.monotonic();
  }

  /** Returns the line to log, or undefined if the quota is used up. */
  pass(line: string): string | undefined {
    const now = this.clock.monotonic();
    if (now - this.#since >= PERIOD_MS) {
      this.#since = now;
      this.#left = LINES;
    }
    if (this.#left === 0) return undefined;
    this.#left--;
    return this.#left === 0 ? `${line} (Further warnings are suppressed for up to a minute.)` : line;
  }
}
