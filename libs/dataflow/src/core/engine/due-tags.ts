import { nextMicrostep, type Tag } from '../time/tag.js';

/** Tags at which something is due that can happen once at each. */
export class DueTags {
  readonly #taken = new Set<string>();

  /** @returns the first tag that is free, from the given one on */
  take(tag: Tag): Tag {
    while (this.#taken.has(keyOf(tag))) tag = nextMicrostep(tag);
    this.#taken.add(keyOf(tag));
    return tag;
  }

  release(tag: Tag): void {
    this.#taken.delete(keyOf(tag));
  }
}

const keyOf = ({ time, microstep }: Tag): string => `${time}:${microstep}`;
