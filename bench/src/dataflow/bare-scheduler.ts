export type Hop<T> = (value: T) => void;

interface Place {
  readonly time: number;
  readonly level: number;
}

interface Due<T> extends Place {
  readonly hop: Hop<T>;
  readonly value: T;
}

const comesBefore = (a: Place, b: Place): boolean => (a.time === b.time ? a.level < b.level : a.time < b.time);

/**
 * The smallest possible scheduler in logical time, and the baseline for the others: a binary heap of functions by time
 * and level. It has no ports, no checks, no trace, no stop, and never yields to the event loop.
 */
export class BareScheduler<T> {
  now = 0;
  private readonly heap: Due<T>[] = [];

  schedule(time: number, level: number, hop: Hop<T>, value: T): void {
    const { heap } = this;
    const due = { time, level, hop, value };
    let at = heap.length;
    heap.push(due);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!comesBefore(due, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = due;
  }

  run(): void {
    for (let due = this.pop(); due; due = this.pop()) {
      this.now = due.time;
      due.hop(due.value);
    }
  }

  private pop(): Due<T> | undefined {
    const { heap } = this;
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
}
