import { Signal } from '../signals.js';
import { PoisonPill } from '../system-messages.js';
import type { Mailbox } from './mailbox.js';

interface Entry {
  readonly priority: number;
  readonly sequence: number;
  readonly message: unknown;
  readonly replyTo: unknown;
}

/**
 * The smallest number first, equal ones in the order of arrival: a binary heap, so every step is O(log n). Signals come
 * before all messages, the end after all of them.
 */
export class PriorityMailbox implements Mailbox {
  takenReplyTo: unknown = undefined;
  private readonly heap: Entry[] = [];
  private arrivals = 0;
  private returns = 0;
  private ending = false;

  constructor(private readonly priorityOf: (message: unknown) => number) {}

  get size(): number {
    return this.heap.length;
  }

  push(message: unknown, replyTo: unknown): void {
    this.insert(message, replyTo, ++this.arrivals);
  }

  /** Before those of the same priority. */
  pushFront(message: unknown, replyTo: unknown): void {
    this.insert(message, replyTo, --this.returns);
  }

  take(): unknown {
    const { heap } = this;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length > 0) this.siftDown(last);
    this.takenReplyTo = first.replyTo;
    return first.message;
  }

  private insert(message: unknown, replyTo: unknown, sequence: number): void {
    const { heap } = this;
    const entry: Entry = { priority: this.rankOf(message), sequence, message, replyTo };
    let at = heap.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (isBefore(heap[above]!, entry)) break;
      heap[at] = heap[above]!;
      at = above;
    }
    heap[at] = entry;
  }

  private rankOf(message: unknown): number {
    if (message instanceof Signal) return -Infinity;
    // What comes after the pill must not get before it, or a busy actor would never end.
    this.ending ||= message === PoisonPill;
    return this.ending ? Infinity : this.priorityOf(message);
  }

  private siftDown(entry: Entry): void {
    const { heap } = this;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below++;
      if (isBefore(entry, heap[below]!)) break;
      heap[at] = heap[below]!;
      at = below;
    }
    heap[at] = entry;
  }
}

const isBefore = (a: Entry, b: Entry): boolean =>
  a.priority < b.priority || (a.priority === b.priority && a.sequence < b.sequence);
