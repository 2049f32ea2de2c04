import { FOREVER, isBefore, isSame, type Tag } from '../time/tag.js';

/**
 * A fixed number of slots with a tag in each. Reading the earliest tag takes constant time, changing a slot takes
 * logarithmic time. It is a tournament tree: every inner place holds the winner of its two halves.
 */
export class MinTree {
  /** Number of places visited by all changes so far. @internal */
  steps = 0;
  readonly #tags: Tag[];
  /** The winner of place `k` comes from `2k` and `2k + 1`. Place 1 is the root, and slot `i` is the leaf `size + i`. */
  readonly #winners: Int32Array;

  constructor(
    readonly size: number,
    initial: Tag = FOREVER,
  ) {
    this.#tags = new Array<Tag>(size).fill(initial);
    this.#winners = new Int32Array(2 * size);
    for (let slot = 0; slot < size; slot++) this.#winners[size + slot] = slot;
    for (let place = size - 1; place > 0; place--) this.#play(place);
  }

  /** The earliest tag. FOREVER if there are no slots. */
  get least(): Tag {
    return this.size === 0 ? FOREVER : this.#tags[this.leastSlot]!;
  }

  /** A slot that holds the earliest tag. There must be a slot. */
  get leastSlot(): number {
    return this.#winners[1]!;
  }

  get(slot: number): Tag {
    return this.#tags[slot]!;
  }

  /** @returns whether the earliest tag has changed */
  set(slot: number, tag: Tag): boolean {
    this.steps++;
    if (isSame(this.get(slot), tag)) return false;
    const before = this.least;
    this.#tags[slot] = tag;
    for (let place = (this.size + slot) >> 1; place > 0; place >>= 1) {
      this.steps++;
      const winner = this.#winners[place];
      if (this.#play(place) === winner && winner !== slot) break;
    }
    return !isSame(before, this.least);
  }

  /**
   * Returns the slots whose tag is before another one, in no particular order. The cost depends on the number found.
   */
  slotsBefore(tag: Tag): number[] {
    const found: number[] = [];
    const places = this.size > 0 ? [1] : [];
    for (let place = places.pop(); place !== undefined; place = places.pop()) {
      if (!isBefore(this.get(this.#winners[place]!), tag)) continue;
      if (place >= this.size) found.push(place - this.size);
      else places.push(2 * place, 2 * place + 1);
    }
    return found;
  }

  #play(place: number): number {
    const left = this.#winners[2 * place]!;
    const right = this.#winners[2 * place + 1]!;
    return (this.#winners[place] = isBefore(this.get(right), this.get(left)) ? right : left);
  }
}
