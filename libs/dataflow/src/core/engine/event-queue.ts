import type { Sealed } from '../payload/seal.js';

/** Receiver of an event. */
export interface EventTarget {
  /** Name of the node that the event is for, if any. */
  readonly owner?: string;
  /** Called when the tag of the event begins, before any reaction of that tag. */
  accept(sealed: Sealed): void;
}

interface QueuedEvent {
  readonly time: number;
  readonly microstep: number;
  /** Order of arrival among events of the same tag. */
  readonly order: number;
  readonly target: EventTarget;
  readonly sealed: Sealed;
}

const comesBefore = (a: QueuedEvent, b: QueuedEvent): boolean =>
  a.time !== b.time ? a.time < b.time : a.microstep !== b.microstep ? a.microstep < b.microstep : a.order < b.order;

/** Queue of events by tag, as a binary heap. */
export class EventQueue {
  readonly #heap: QueuedEvent[] = [];
  #order = 0;

  get size(): number {
    return this.#heap.length;
  }

  /** The earliest event. */
  get first(): QueuedEvent | undefined {
    return this.#heap[0];
  }

  push(time: number, microstep: number, target: EventTarget, sealed: Sealed): void {
    const heap = this.#heap;
    const event = { time, microstep, order: this.#order++, target, sealed };
    let at = heap.length;
    heap.push(event);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!comesBefore(event, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = event;
  }

  pop(): QueuedEvent | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || last === first) return first;
    const half = heap.length >> 1;
    let at = 0;
    while (at < half) {
      let child = 2 * at + 1;
      if (child + 1 < heap.length && comesBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!comesBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }

  /** Number of queued events for each node. */
  countByOwner(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { target } of this.#heap) {
      if (target.owner !== undefined) counts.set(target.owner, (counts.get(target.owner) ?? 0) + 1);
    }
    return counts;
  }

  clear(): void {
    this.#heap.length = 0;
  }
}
