import { earlierOf, isBefore, laterOf, NEVER, type Tag } from '../../time/tag.js';
import type { Inbox, Outboxes } from './flow-control.js';
import type { CrossEdge } from '../plan.js';

const LAST_MICROSTEP = 2 ** 32 - 1;

/**
 * Up to which tag a partition that may be restarted need not do again what it has done: what came of it has arrived, and
 * those who may lose it have it no longer to lose. Its senders keep what comes after.
 */
export class Safety {
  #safe: Tag = NEVER;
  #told: Tag = NEVER;
  /** Everything up to here has arrived. */
  #arrived: Tag = NEVER;
  /** Delays with a time make new microsteps of those of one instant, so that it has to be done again as a whole. */
  readonly #hasDelays: boolean;

  constructor(
    private readonly outboxes: Outboxes,
    private readonly inboxes: readonly Inbox[],
    outgoing: readonly CrossEdge[],
  ) {
    this.#hasDelays = outgoing.some(({ model }) => model.delay.time > 0);
  }

  /** For a report. */
  tell(): Tag {
    this.#told = this.#update();
    return this.#told;
  }

  resumeFrom(safe: Tag): void {
    this.#safe = this.#told = safe;
  }

  /**
   * A report has arrived, and everything that was sent before it.
   *
   * @param last what was handled then
   * @param safe what it said is safe: the coordinator knows, so the senders need not keep it
   */
  confirmed(last: Tag, safe: Tag): void {
    this.#arrived = laterOf(this.#arrived, last);
    for (const inbox of this.inboxes) inbox.handled(safe);
  }

  /** Whether more is safe than was told, and senders keep it. */
  hasNews(): boolean {
    const safe = this.#update();
    return isBefore(this.#told, safe) && this.inboxes.some((inbox) => inbox.hasDue(safe));
  }

  #update(): Tag {
    const safe = earlierOf(this.#arrived, before(this.outboxes.keptSince));
    this.#safe = laterOf(this.#safe, this.#hasDelays ? before({ time: safe.time, microstep: 0 }) : safe);
    return this.#safe;
  }
}

/** The last tag before another. */
const before = ({ time, microstep }: Tag): Tag =>
  microstep > 0 || !Number.isFinite(time)
    ? { time, microstep: Math.max(0, microstep - 1) }
    : { time: time - 1, microstep: LAST_MICROSTEP };
