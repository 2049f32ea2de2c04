import { earlierOf, isBefore, laterOf, NEVER, type Tag } from '../../time/tag.js';
import type { CrossEdge } from '../plan.js';
import type { ReceiveWindow, SendWindows } from './flow-control.js';

const LAST_MICROSTEP = 2 ** 32 - 1;

/**
 * Tracks the checkpoint of a partition whose process may restart. No tag up to the checkpoint has to be repeated: all
 * messages of these tags have been received, and no receiver that may restart can lose them again. Senders retain the
 * messages after the checkpoint.
 */
export class CheckpointTracker {
  #checkpoint: Tag = NEVER;
  #reported: Tag = NEVER;
  /** All messages sent up to this tag have been received. */
  #received: Tag = NEVER;
  /** An edge with a delay in time renumbers the microsteps of an instant, so a restart must repeat whole instants. */
  readonly #hasDelays: boolean;

  constructor(
    private readonly sendWindows: SendWindows,
    private readonly receiveWindows: readonly ReceiveWindow[],
    outgoing: readonly CrossEdge[],
  ) {
    this.#hasDelays = outgoing.some(({ model }) => model.delay.time > 0);
  }

  /** @returns the checkpoint for a report that is about to be sent */
  report(): Tag {
    this.#reported = this.#advance();
    return this.#reported;
  }

  resumeFrom(checkpoint: Tag): void {
    this.#checkpoint = this.#reported = checkpoint;
  }

  /**
   * Records that a report, and every message sent before it, has been received.
   *
   * @param lastTag the last tag handled before that report
   * @param checkpoint the checkpoint in that report. The coordinator now has it, so senders may drop older messages
   */
  confirmed(lastTag: Tag, checkpoint: Tag): void {
    this.#received = laterOf(this.#received, lastTag);
    for (const window of this.receiveWindows) window.handled(checkpoint);
  }

  /** Whether a checkpoint later than the reported one would let a sender drop messages. */
  hasAdvanced(): boolean {
    const checkpoint = this.#advance();
    return isBefore(this.#reported, checkpoint) && this.receiveWindows.some((window) => window.hasDue(checkpoint));
  }

  #advance(): Tag {
    const tag = earlierOf(this.#received, before(this.sendWindows.retainedSince));
    this.#checkpoint = laterOf(this.#checkpoint, this.#hasDelays ? before({ time: tag.time, microstep: 0 }) : tag);
    return this.#checkpoint;
  }
}

/** The last tag before another one. */
const before = ({ time, microstep }: Tag): Tag =>
  microstep > 0 || !Number.isFinite(time)
    ? { time, microstep: Math.max(0, microstep - 1) }
    : { time: time - 1, microstep: LAST_MICROSTEP };
