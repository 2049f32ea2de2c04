import type { Timer } from '@roost/time';
import { isSame, type Tag } from '../time/tag.js';
import type { TagScheduler } from './scheduler.js';
import type { Timeline } from './timeline.js';

/** Decides which tags a scheduler may handle, and when. */
export interface AdmissionControl {
  /** Whether the tag may be handled now. When that may have changed, the runner is woken. */
  admits(tag: Tag): boolean;
  /**
   * Called when there is nothing to do for now: `next` is not admitted, its time has not come, or there is none.
   *
   * @returns when to ask again at the latest, in ms
   */
  pausing(next: Tag | undefined): number | undefined;
  /** A tag was handled. */
  handled(tag: Tag): void;
}

/** How long other work of the process may be kept waiting. */
const SLICE_MS = 10;
/** Steps between two looks at the clock. */
const STEPS_PER_LOOK = 16;
/** For a clock that stands still, as in tests. */
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
    /** Whether tags need not wait for their time on the clock. */
    private readonly isFast: boolean,
  ) {}

  /** Something has changed that may let it go on. */
  wake(): void {
    this.#isWoken = true;
    this.#wakeUp?.();
  }

  /** Ends `run()` at once, also when a reaction never settles. */
  force(): void {
    this.#isForced = true;
    this.#abandon?.();
    this.wake();
  }

  /** Resolves when the stop tag was handled, or after `force()`. */
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

  /** Until the reactions have settled, or nobody waits for them any longer. */
  #settled(waiting: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      // It may have been forced by one reaction while another one waits.
      if (this.#isForced) return resolve();
      this.#abandon = resolve;
      void waiting.then(resolve);
    });
  }

  /** Until woken, or until the time is over. */
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
