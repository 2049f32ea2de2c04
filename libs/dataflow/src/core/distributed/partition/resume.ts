import type { EdgeTag } from '../../progress/progress-tracker.js';
import { isBefore, NEVER, type Tag } from '../../time/tag.js';
import type { ResumePoint } from '../wire/messages.js';

/**
 * Lets a partition of a restarted process catch up with its progress before the crash. Until then it repeats tags that
 * other partitions have already seen. In a process that was not restarted, there is nothing to catch up with.
 */
export class Resumption {
  #point: ResumePoint | undefined;
  /** Per edge, the last message that is sent again and has not arrived yet. */
  #missing: readonly EdgeTag[] = [];

  begin(point: ResumePoint): void {
    this.#point = point;
    this.#missing = point.need;
  }

  /** The last tag that was handled before the crash. */
  get lastTag(): Tag {
    return this.#point?.lastTag ?? NEVER;
  }

  get checkpoint(): Tag {
    return this.#point?.checkpoint ?? NEVER;
  }

  /** Whether this message was reported as sent before the crash. */
  wasReported(edge: number, tag: Tag): boolean {
    const last = this.#point?.sent.find(([one]) => one === edge)?.[1];
    return last !== undefined && !isBefore(last, tag);
  }

  /** Whether every message that is sent again has arrived. @param got per edge, the last received tag */
  hasInputs(got: ReadonlyMap<number, Tag>): boolean {
    if (this.#missing.length > 0) {
      this.#missing = this.#missing.filter(([edge, tag]) => isBefore(got.get(edge) ?? NEVER, tag));
    }
    return this.#missing.length === 0;
  }
}
