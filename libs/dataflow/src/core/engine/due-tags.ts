import { nextMicrostep, type Tag } from '../time/tag.js';

/** Tags at which something is due that can happen once at each. */
export class DueTags {
  readonly #taken = new Set<string>();

  /** The first tag that is free, from the given one on. */
  freeFrom(tag: Tag): Tag {
    while (this.#taken.has(keyOf(tag))) tag = nextMicrostep(tag);
    return tag;
  }

  /** @returns the first tag that was free, from the given one on */
  take(tag: Tag): Tag {
    const free = this.freeFrom(tag);
    this.#taken.add(keyOf(free));
    return free;
  }

  release(tag: Tag): void {
    this.#taken.delete(keyOf(tag));
  }
}

const keyOf = ({ time, microstep }: Tag): string => `${time}:${microstep}`;
