import { Heap } from '../collections/heap.js';
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
 * Delivers the smallest number first, and equal numbers in order of arrival. Signals come before all messages.
 * `PoisonPill` comes after all messages that arrived before it.
 */
export class PriorityMailbox implements Mailbox {
  takenReplyTo: unknown = undefined;
  private readonly heap = new Heap<Entry>(isBefore);
  private arrivals = 0;
  private returns = 0;
  private ending = false;

  constructor(private readonly priorityOf: (message: unknown) => number) {}

  get size(): number {
    return this.heap.size;
  }

  push(message: unknown, replyTo: unknown): void {
    this.insert(message, replyTo, ++this.arrivals);
  }

  /** Adds an entry before those of the same priority. */
  pushFront(message: unknown, replyTo: unknown): void {
    this.insert(message, replyTo, --this.returns);
  }

  take(): unknown {
    const { message, replyTo } = this.heap.take();
    this.takenReplyTo = replyTo;
    return message;
  }

  private insert(message: unknown, replyTo: unknown, sequence: number): void {
    this.heap.push({ priority: this.rankOf(message), sequence, message, replyTo });
  }

  private rankOf(message: unknown): number {
    if (message instanceof Signal) return -Infinity;
    // Later messages must not overtake the pill, or a busy actor would never stop.
    this.ending ||= message === PoisonPill;
    return this.ending ? Infinity : this.priorityOf(message);
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.priority < b.priority || (a.priority === b.priority && a.sequence < b.sequence);
}
