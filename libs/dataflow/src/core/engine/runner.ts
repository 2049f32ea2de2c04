import type { Timer } from '@roost/time';
import { isSame, type Tag } from '../time/tag.js';
import type { TagScheduler } from './scheduler.js';
import type { Timeline } from './timeline.js';

/** Decides which tags a scheduler may handle, and when. */
export interface AdmissionControl {
  /** Whether the tag may be handled now. The runner must be woken when the answer may have changed. */
  admits(tag: Tag): boolean;
  /**
   * Called when there is nothing to do for now: `next` is not admitted, is not due yet, or does not exist.
   *
   * @returns the time in ms after which the runner must ask again at the latest
   */
  pausing(next: Tag | undefined): number | undefined;
  /** Called when a tag has been handled. */
  handled(tag: Tag): void;
}

/** Maximum time in ms that other work in the process has to wait. */
const SLICE_MS = 10;
/** Number of steps between two checks of the clock. */
const STEPS_PER_LOOK = 16;
/** Maximum number of steps per slice, for a clock that stands still, as in tests. */
const STEPS_PER_SLICE = 2_048;

/** Steps a scheduler through its tags until the stop tag. */
export class Runner {
  #isWoken = false;
  #wakeUp: (() => void) | undefined;
  #isForced = false;
  #abandon: (() => void) | undefined;

  constructor(
    private readonly scheduler: TagScheduler,
    private readonly timeline: Timeline,
    /** Whether tags are handled without waiting for their time on the clock. */
    private readonly isFast: boolean,
  ) {}

  /** Makes the runner check again, because something has changed that may let it continue. */
  wake(): void {
    this.#isWoken = true;
    this.#wakeUp?.();
  }

  /** Ends `run()` immediately, even if a reaction never settles. */
  force(): void {
    this.#isForced = true;
    this.#abandon?.();
    this.wake();
  }

  /** Resolves when the stop tag has been handled, or after `force()`. */
  async run(admission: AdmissionControl): Promise<void> {
    const { scheduler } = this;
    let steps = 0;
    let sliceEndMs = this.timeline.clock.monotonic() + SLICE_MS;
    while (!this.#isForced) {
      this.#isWoken = false;
      const next = scheduler.next;
      if (!next || !admission.admits(next)) {
        await this.#sleep(admission.pausing(next));
        continue;
      }
      const earlyMs = this.isFast ? 0 : this.timeline.msUntil(next.time);
      if (earlyMs > 0) {
        admission.pausing(next);
        await this.#sleep(earlyMs);
        continue;
      }
      const waiting = scheduler.step();
      if (waiting) {
        await this.#settled(waiting);
        if (this.#isForced) return;
      }
      admission.handled(scheduler.tag);
      if (scheduler.stopTag && isSame(scheduler.tag, scheduler.stopTag)) return;
      if (++steps % STEPS_PER_LOOK !== 0) continue;
      if (steps % STEPS_PER_SLICE === 0 || this.timeline.clock.monotonic() > sliceEndMs) {
        await new Promise((resolve) => setImmediate(resolve));
        sliceEndMs = this.timeline.clock.monotonic() + SLICE_MS;
      }
    }
  }

  /** Resolves when the reactions have settled, or when `force()` abandons them. */
  #settled(waiting: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      // One reaction may have forced the stop while another one is pending.
      if (this.#isForced) return resolve();
      this.#abandon = resolve;
      void waiting.then(resolve);
    });
  }

  /** Resolves when the runner is woken, or after the given time. */
  async #sleep(ms?: number): Promise<void> {
    if (this.#isWoken) return;
    let timer: Timer | undefined;
    await new Promise<void>((resolve) => {
      this.#wakeUp = resolve;
      if (ms !== undefined) timer = this.timeline.clock.setTimer(ms, resolve);
    });
    this.#wakeUp = undefined;
    timer?.cancel();
  }
}
