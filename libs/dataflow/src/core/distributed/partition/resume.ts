import type { EdgeTag } from '../../progress/progress-tracker.js';
import { isBefore, NEVER, type Tag } from '../../time/tag.js';
import type { Resume } from '../wire/messages.js';

/**
 * What a partition of a restarted process knows of its earlier life. Until it is where that was, it does what others have
 * already heard of.
 */
export class PastLife {
  /** By edge what comes again, as far as it has not yet. */
  #need: readonly EdgeTag[];

  /** Without anything it is the first life. */
  constructor(private readonly resume?: Resume) {
    this.#need = resume?.need ?? [];
  }

  /** Where it was. */
  get last(): Tag {
    return this.resume?.last ?? NEVER;
  }

  get safe(): Tag {
    return this.resume?.safe ?? NEVER;
  }

  /** Whether it had reported to have sent that. */
  hasReported(edge: number, tag: Tag): boolean {
    const last = this.resume?.sent.find(([one]) => one === edge)?.[1];
    return last !== undefined && !isBefore(last, tag);
  }

  /** Whether everything has come again that it had before it. */
  hasAll(got: ReadonlyMap<number, Tag>): boolean {
    if (this.#need.length > 0) {
      this.#need = this.#need.filter(([edge, tag]) => isBefore(got.get(edge) ?? NEVER, tag));
    }
    return this.#need.length === 0;
  }
}
