import type { Clock } from '@roost/time';

interface TimedRun {
  readonly startedAt: number;
  /** Maximum wait in ms for this run, from the stop request. */
  readonly maxWaitMs: number;
}

type Listener<R> = (change: 'began' | 'ended', run: R) => void;

/** Tolerance in ms when comparing times, because fractions do not add up exactly. */
const TOLERANCE_MS = 0.001;

/** All runs that a shutdown waits for. */
export class RunsInFlight<R extends TimedRun> {
  /** Time of the stop request. The wait for each run starts then. */
  stopRequestedAt = 0;
  /** Whether the shutdown has stopped waiting. */
  isClosed = false;
  readonly #runs = new Set<R>();
  readonly #listeners = new Set<Listener<R>>();

  constructor(private readonly clock: Clock) {}

  [Symbol.iterator](): IterableIterator<R> {
    return this.#runs.values();
  }

  add(run: R): void {
    this.#runs.add(run);
    for (const listener of this.#listeners) listener('began', run);
  }

  delete(run: R): void {
    this.#runs.delete(run);
    for (const listener of this.#listeners) listener('ended', run);
  }

  /**
   * Resolves when every run has either ended or used up its time, with the runs that have not ended. Each run has
   * `maxWaitMs` from the stop request, or from its start if that is later. All together have `limitMs` from now.
   */
  whenEnded(limitMs: number): Promise<R[]> {
    const limitAt = this.clock.monotonic() + limitMs;
    const dueAt = ({ startedAt, maxWaitMs }: R): number =>
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
      const listener: Listener<R> = (change, run) => {
        const matters = change === 'began' ? dueAt(run) < nextAt : this.#runs.size <= overdue;
        if (matters) look();
      };
      this.#listeners.add(listener);
      look();
    });
  }
}
