import { nextMicrostep, type Tag } from '../time/tag.js';

/** Tags that are already taken by an event that can occur only once per tag. */
export class DueTags {
  readonly #taken = new Set<string>();

  /** Returns the first free tag at or after the given one. */
  freeFrom(tag: Tag): Tag {
    while (this.#taken.has(keyOf(tag))) tag = nextMicrostep(tag);
    return tag;
  }

  /** Takes the first free tag at or after the given one. @returns that tag */
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
