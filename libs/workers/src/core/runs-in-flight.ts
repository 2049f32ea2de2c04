import type { Clock } from '@roost/time';
import type { Run } from './run.js';

type Listener = (change: 'began' | 'ended', run: Run) => void;

/** Times are compared with so much tolerance: fractions do not add up exactly. */
const TOLERANCE_MS = 0.001;

/** Everything that a shutdown has to wait for. */
export class RunsInFlight {
  /** When they were told to stop: what they have of their time is counted from then. */
  stopRequestedAt = 0;
  /** Nobody waits any more. */
  isClosed = false;
  readonly #runs = new Set<Run>();
  readonly #listeners = new Set<Listener>();

  constructor(private readonly clock: Clock) {}

  [Symbol.iterator](): IterableIterator<Run> {
    return this.#runs.values();
  }

  add(run: Run): void {
    this.#runs.add(run);
    for (const listener of this.#listeners) listener('began', run);
  }

  delete(run: Run): void {
    this.#runs.delete(run);
    for (const listener of this.#listeners) listener('ended', run);
  }

  /**
   * Resolves when no run is left, or when all that are left have had their time: with those. Each has `maxWaitMs` from
   * the moment it was told to stop, or began if that is later; all together have `limitMs` from now.
   */
  whenOver(limitMs: number): Promise<Run[]> {
    const limitAt = this.clock.monotonic() + limitMs;
    const dueAt = ({ startedAt, maxWaitMs }: Run): number =>
      Math.min(limitAt, Math.max(this.stopRequestedAt, startedAt) + maxWaitMs);
    return new Promise((resolve) => {
      let overdue = 0;
      let nextAt = Infinity;
      let timer = { cancel: (): void => undefined };
      const look = (): void => {
        timer.cancel();
        const now = this.clock.monotonic();
        overdue = 0;
        nextAt = Infinity;
        for (const run of this.#runs) {
          const due = dueAt(run);
          if (due - now < TOLERANCE_MS) overdue++;
          else nextAt = Math.min(nextAt, due);
        }
        if (overdue < this.#runs.size) {
          timer = this.clock.setTimer(nextAt - now, look);
          return;
        }
        this.#listeners.delete(listener);
        resolve([...this.#runs]);
      };
      const listener: Listener = (change, run) => {
        const matters = change === 'began' ? dueAt(run) < nextAt : this.#runs.size <= overdue;
        if (matters) look();
      };
      this.#listeners.add(listener);
      look();
    });
  }
}
