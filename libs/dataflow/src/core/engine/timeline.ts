import { type Clock, sleep } from '@roost/time';

/** Relates the clock to logical time. */
export class Timeline {
  readonly #anchorMs: number;

  /**
   * @param startedAtMs wall-clock time of the start, which all processes of a run share
   */
  constructor(
    readonly clock: Clock,
    readonly startedAtMs: number = clock.now(),
  ) {
    // From here on only time that never goes back counts.
    this.#anchorMs = clock.monotonic() - (clock.now() - startedAtMs);
  }

  /** Nanoseconds since the start; negative before it. */
  elapsed(): number {
    return (this.clock.monotonic() - this.#anchorMs) * 1e6;
  }

  /** How long to wait until then, 0 if it is past. */
  msUntil(time: number): number {
    return Math.max(0, (time - this.elapsed()) / 1e6);
  }

  until(time: number): Promise<void> {
    return sleep(this.msUntil(time), { clock: this.clock });
  }
}
