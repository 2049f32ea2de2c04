import type { ReactionRuntime } from './node-runtime.js';

/** Reactions that are due at the current tag, as a binary heap ordered by level. */
export class ReactionQueue {
  readonly #heap: ReactionRuntime[] = [];

  get isEmpty(): boolean {
    return this.#heap.length === 0;
  }

  /** Level of the next reaction. The queue must not be empty. */
  get level(): number {
    return this.#heap[0]!.level;
  }

  push(reaction: ReactionRuntime): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(reaction);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (heap[parent]!.rank <= reaction.rank) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = reaction;
  }

  /** Removes the reaction with the lowest rank. The queue must not be empty. */
  pop(): ReactionRuntime {
    const heap = this.#heap;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (last === first) return first;
    const half = heap.length >> 1;
    let at = 0;
    while (at < half) {
      let child = 2 * at + 1;
      if (child + 1 < heap.length && heap[child + 1]!.rank < heap[child]!.rank) child++;
      if (heap[child]!.rank >= last.rank) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }

  clear(): void {
    this.#heap.length = 0;
  }
}
