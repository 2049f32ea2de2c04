import type { TagScheduler } from '../../engine/scheduler.js';
import type { Timeline } from '../../engine/timeline.js';
import { isBefore, laterOf, NEVER, nextMicrostep, START, type Tag } from '../../time/tag.js';

/**
 * Input that reaches a partition from outside of logical time, over physical actions and physical connections. The
 * **floor** is a promise that no external input gets an earlier tag.
 */
export class ExternalInput {
  #requested: Tag = NEVER;

  constructor(
    private readonly scheduler: TagScheduler,
    private readonly timeline: Timeline,
    private readonly isFast: boolean,
    private readonly hasPhysicalEdges: boolean,
  ) {}

  /** Whether external input is still possible. */
  get isOpen(): boolean {
    const { acceptsPhysical, isOpen } = this.scheduler;
    return acceptsPhysical && (isOpen || this.hasPhysicalEdges);
  }

  /** The earliest tag that external input can still get. */
  get floor(): Tag {
    const { tag, floor, lastArrival } = this.scheduler;
    return laterOf(laterOf(floor, lastArrival), isBefore(tag, START) ? START : nextMicrostep(tag));
  }

  /** Requests the promise that no external input gets a tag up to this one. Another partition waits for it. */
  requestFloor(tag: Tag): void {
    this.#requested = laterOf(this.#requested, tag);
  }

  /**
   * Raises the floor beyond the requested tag once the clock has passed that tag.
   *
   * @returns the remaining wait, in ms
   */
  raiseFloor(): number | undefined {
    const { scheduler, timeline, isFast } = this;
    const requested = this.#requested;
    if (!this.isOpen || isBefore(requested, this.floor)) return undefined;
    const waitMs = isFast ? 0 : timeline.msUntil(requested.time);
    if (waitMs > 0) return waitMs;
    const now = { time: isFast ? 0 : timeline.elapsed(), microstep: 0 };
    scheduler.floor = [nextMicrostep(requested), now].reduce(laterOf, scheduler.floor);
    return undefined;
  }
}
