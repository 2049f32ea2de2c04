import type { Clock } from '@roost/time';

const LINES = 20;
const PERIOD_MS = 60_000;

/** Lets so many lines through per minute, so that a stranger who tries again and again does not fill the log. */
export class LogQuota {
  #left = LINES;
  #since: number;

  constructor(private readonly clock: Clock) {
    this.#since = clock.monotonic();
  }

  /** What to log in place of the line, if anything. */
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
