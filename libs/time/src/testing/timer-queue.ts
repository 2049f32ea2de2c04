import type { Timer } from '../clock.js';

const NOT_QUEUED = -1;

/**
 * Pending timers of a `ManualClock`, ordered by due time and then by creation, in a binary min-heap. Every timer stores
 * its position in the heap, so cancelling removes it at once, in O(log n), and leaves no garbage.
 *
 * @internal
 */
export class TimerQueue {
  private readonly heap: QueuedTimer[] = [];
  private created = 0;

  get size(): number {
    return this.heap.length;
  }

  peek(): QueuedTimer | undefined {
    return this.heap[0];
  }

  add(dueAt: number, callback: () => void): QueuedTimer {
    const timer = new QueuedTimer(this, dueAt, this.created++, callback);
    this.siftUp(timer, this.heap.length);
    return timer;
  }

  /** Does nothing for a timer that is no longer queued. */
  remove(timer: QueuedTimer): void {
    const index = timer.index;
    if (index === NOT_QUEUED) return;
    timer.index = NOT_QUEUED;

    const last = this.heap.pop() as QueuedTimer;
    if (last === timer) return;
    // The last leaf fills the gap. It is from another branch, so it may belong further up as well as further down.
    this.siftUp(last, index);
    this.siftDown(last, last.index);
  }

  private siftUp(timer: QueuedTimer, from: number): void {
    let index = from;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = this.heap[parentIndex] as QueuedTimer;
      if (parent.isBefore(timer)) break;
      this.place(parent, index);
      index = parentIndex;
    }
    this.place(timer, index);
  }

  private siftDown(timer: QueuedTimer, from: number): void {
    let index = from;
    for (;;) {
      const childIndex = this.earlierChildOf(index);
      const child = this.heap[childIndex];
      if (child === undefined || timer.isBefore(child)) break;
      this.place(child, index);
      index = childIndex;
    }
    this.place(timer, index);
  }

  private earlierChildOf(index: number): number {
    const left = this.heap[2 * index + 1];
    const right = this.heap[2 * index + 2];
    return left && right?.isBefore(left) ? 2 * index + 2 : 2 * index + 1;
  }

  private place(timer: QueuedTimer, index: number): void {
    this.heap[index] = timer;
    timer.index = index;
  }
}

/** @internal */
export class QueuedTimer implements Timer {
  /** Position in the heap; written by the queue only. */
  index = NOT_QUEUED;

  constructor(
    private readonly queue: TimerQueue,
    readonly dueAt: number,
    private readonly sequence: number,
    readonly callback: () => void,
  ) {}

  cancel(): void {
    this.queue.remove(this);
  }

  isBefore(other: QueuedTimer): boolean {
    return this.dueAt < other.dueAt || (this.dueAt === other.dueAt && this.sequence < other.sequence);
  }
}
