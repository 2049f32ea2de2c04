import { FOREVER, isBefore, NEVER, type Tag } from '../time/tag.js';

/** Below this number it is not worth moving the remaining tags to the front. */
const LEAST_TO_DROP = 32;

/** Messages of one edge that are reported as sent but not as received, in the order of their tags. */
export class MessagesInFlight {
  /** Tag of the last sent message. */
  lastSent = NEVER;
  /** Everything up to this tag has arrived. It can be later than `lastSent`, because the receiver may report first. */
  #got = NEVER;
  #tags: Tag[] = [];
  #first = 0;

  /** Tag of the first message in flight. FOREVER if there is none. */
  get first(): Tag {
    return this.#tags[this.#first] ?? FOREVER;
  }

  /** Records a sent message. Its tag must be later than all before. */
  sent(tag: Tag): void {
    this.lastSent = tag;
    if (isBefore(this.#got, tag)) this.#tags.push(tag);
  }

  /** Records that all messages up to this tag have arrived. Safe to repeat. */
  got(tag: Tag): void {
    if (isBefore(this.#got, tag)) this.#got = tag;
    while (this.#first < this.#tags.length && !isBefore(this.#got, this.first)) this.#first++;
    if (this.#first < LEAST_TO_DROP || 2 * this.#first < this.#tags.length) return;
    this.#tags = this.#tags.slice(this.#first);
    this.#first = 0;
  }

  /** Tag of the last message in flight before another tag. There must be one. */
  lastBefore(tag: Tag): Tag {
    let at = this.#first;
    while (at + 1 < this.#tags.length && isBefore(this.#tags[at + 1]!, tag)) at++;
    return this.#tags[at]!;
  }
}
