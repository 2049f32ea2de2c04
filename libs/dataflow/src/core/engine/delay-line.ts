import { type Delay, isBefore, NEVER, nextMicrostep, plus, type Tag } from '../time/tag.js';

/**
 * Computes when messages over a connection arrive. Messages sent in several microsteps of one instant arrive in as many
 * microsteps.
 */
export class DelayLine {
  #last: Tag = NEVER;

  constructor(private readonly delay: Delay) {}

  /** @param sentAt later than in all earlier calls */
  arrivalOf(sentAt: Tag): Tag {
    const arrival = plus(sentAt, this.delay);
    this.#last = isBefore(this.#last, arrival) ? arrival : nextMicrostep(this.#last);
    return this.#last;
  }
}
