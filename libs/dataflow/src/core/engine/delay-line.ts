import { type Delay, isBefore, NEVER, nextMicrostep, plus, type Tag } from '../time/tag.js';

/** When what is sent over a connection arrives. What was sent in several microsteps of one instant arrives in as many. */
export class DelayLine {
  #last: Tag = NEVER;

  constructor(private readonly delay: Delay) {}

  /** @param sentAt later than all before */
  arrivalOf(sentAt: Tag): Tag {
    const arrival = plus(sentAt, this.delay);
    this.#last = isBefore(this.#last, arrival) ? arrival : nextMicrostep(this.#last);
    return this.#last;
  }
}
