import { type Clock, sleep } from '@roost/time';

/** Maps the clock to logical time. */
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
   * Starts to count logical time.
   *
   * @param startedAtMs wall-clock time of the start, which all processes of a run share
   */
  start(startedAtMs = this.clock.now()): void {
    this.#startedAtMs = startedAtMs;
    // From here on only monotonic time counts.
    this.#anchorMs = this.clock.monotonic() - (this.clock.now() - startedAtMs);
  }

  /** Starts to count logical time now, but reports the start of an earlier run. */
  startAgain(startedAtMs: number): void {
    this.start();
    this.#startedAtMs = startedAtMs;
  }

  /** Whole nanoseconds since the start. Negative before it. */
  elapsed(): number {
    // Clocks lose digits in fractions of a millisecond. Without rounding, a due tag could appear to be slightly early.
    return Math.round((this.clock.monotonic() - this.#anchorMs) * 1e6);
  }

  /** Time in ms until the given logical time. 0 if it has passed. */
  msUntil(time: number): number {
    return Math.max(0, (time - this.elapsed()) / 1e6);
  }

  /** Resolves at the given logical time, or when the signal aborts. */
  until(time: number, signal?: AbortSignal): Promise<void> {
    return sleep(this.msUntil(time), { clock: this.clock, signal }).catch(() => undefined);
  }
}
