import type { TagScheduler } from '../../engine/scheduler.js';
import type { Timeline } from '../../engine/timeline.js';
import { isBefore, laterOf, NEVER, nextMicrostep, START, type Tag } from '../../time/tag.js';

/** What may come to a partition from outside of logical time, and the promise from which tag on it will. */
export class Outside {
  #wanted: Tag = NEVER;

  constructor(
    private readonly scheduler: TagScheduler,
    private readonly timeline: Timeline,
    private readonly isFast: boolean,
    private readonly hasPhysicalInputs: boolean,
  ) {}

  get isOpen(): boolean {
    const { acceptsPhysical, isOpen } = this.scheduler;
    return acceptsPhysical && (isOpen || this.hasPhysicalInputs);
  }

  /** The earliest tag that it may still get. */
  get floor(): Tag {
    const { tag, floor, lastArrival } = this.scheduler;
    return laterOf(laterOf(floor, lastArrival), isBefore(tag, START) ? START : nextMicrostep(tag));
  }

  /** Somebody waits to hear that nothing up to this tag will come. */
  want(tag: Tag): void {
    this.#wanted = laterOf(this.#wanted, tag);
  }

  /** Promises what was asked for, once the clock allows. @returns when that is, in ms */
  raise(): number | undefined {
    const { scheduler, timeline, isFast } = this;
    const wanted = this.#wanted;
    if (!this.isOpen || isBefore(wanted, this.floor)) return undefined;
    const waitMs = isFast ? 0 : timeline.msUntil(wanted.time);
    if (waitMs > 0) return waitMs;
    const now = { time: isFast ? 0 : timeline.elapsed(), microstep: 0 };
    scheduler.floor = [nextMicrostep(wanted), now].reduce(laterOf, scheduler.floor);
    return undefined;
  }
}
