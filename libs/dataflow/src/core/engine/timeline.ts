import { type Clock, sleep } from '@roost/time';

/** Relates the clock to logical time. */
export class Timeline {
  #startedAtMs!: number;
  #anchorMs!: number;

  constructor(readonly clock: Clock) {
    this.start();
  }

  get startedAtMs(): number {
    return this.#startedAtMs;
  }

  /**
   * Logical time begins to count.
   *
   * @param startedAtMs wall-clock time of the start, which all processes of a run share
   */
  start(startedAtMs = this.clock.now()): void {
    this.#startedAtMs = startedAtMs;
    // From here on only time that never goes back counts.
    this.#anchorMs = this.clock.monotonic() - (this.clock.now() - startedAtMs);
  }

  /** Logical time begins to count now, though it stands for that of an earlier run. */
  startAgain(startedAtMs: number): void {
    this.start();
    this.#startedAtMs = startedAtMs;
  }

  /** Whole nanoseconds since the start; negative before it. */
  elapsed(): number {
    // Of a fraction of a millisecond a clock keeps some digits only: without them something would be due, but not quite.
    return Math.round((this.clock.monotonic() - this.#anchorMs) * 1e6);
  }

  /** How long to wait until then, 0 if it is past. */
  msUntil(time: number): number {
    return Math.max(0, (time - this.elapsed()) / 1e6);
  }

  /** Resolves when the time has come, or when there is no longer any point in waiting. */
  until(time: number, signal?: AbortSignal): Promise<void> {
    return sleep(this.msUntil(time), { clock: this.clock, signal }).catch(() => undefined);
  }
}
