import { FOREVER, isBefore, NEVER, type Tag } from '../time/tag.js';

/** Below so many it is not worth moving what is left to the front. */
const LEAST_TO_DROP = 32;

/** The messages of one edge that were sent and have not arrived, as far as reported, in the order of their tags. */
export class MessagesInFlight {
  /** Tag of the last message that was sent. */
  lastSent = NEVER;
  /** Everything up to here has arrived. It can be ahead of `lastSent`: the receiver may report first. */
  #got = NEVER;
  #tags: Tag[] = [];
  #first = 0;

  /** Tag of the first of them, FOREVER if there are none. */
  get first(): Tag {
    return this.#tags[this.#first] ?? FOREVER;
  }

  /** A message was sent: later than all before it. */
  sent(tag: Tag): void {
    this.lastSent = tag;
    if (isBefore(this.#got, tag)) this.#tags.push(tag);
  }

  /** All messages up to this tag have arrived. Nothing new if they had before. */
  got(tag: Tag): void {
    if (isBefore(this.#got, tag)) this.#got = tag;
    while (this.#first < this.#tags.length && !isBefore(this.#got, this.first)) this.#first++;
    if (this.#first < LEAST_TO_DROP || 2 * this.#first < this.#tags.length) return;
    this.#tags = this.#tags.slice(this.#first);
    this.#first = 0;
  }

  /** Tag of the last of them before another tag; there must be one. */
  lastBefore(tag: Tag): Tag {
    let at = this.#first;
    while (at + 1 < this.#tags.length && isBefore(this.#tags[at + 1]!, tag)) at++;
    return this.#tags[at]!;
  }
}
