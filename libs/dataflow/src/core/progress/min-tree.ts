import { FOREVER, isBefore, isSame, type Tag } from '../time/tag.js';

/**
 * A fixed number of slots with a tag in each. The earliest tag is known at once; to change a slot costs the logarithm of
 * their number. It is a tournament: every inner place holds the slot that won against the other half.
 */
export class MinTree {
  /** Places visited so far: what its changes have cost. @internal */
  steps = 0;
  readonly #tags: Tag[];
  /** The winner of place `k` comes from `2k` and `2k + 1`; place 1 is the final, and slot `i` starts in place `size + i`. */
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

  /** The earliest tag, FOREVER without slots. */
  get least(): Tag {
    return this.size === 0 ? FOREVER : this.#tags[this.leastSlot]!;
  }

  /** A slot that holds the earliest tag; there must be a slot. */
  get leastSlot(): number {
    return this.#winners[1]!;
  }

  get(slot: number): Tag {
    return this.#tags[slot]!;
  }

  /** @returns whether the earliest tag is another one now */
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

  /** The slots with a tag before another, in no particular order. Costs what it finds, not what there is. */
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
