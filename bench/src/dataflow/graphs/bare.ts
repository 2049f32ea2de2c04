import { chainOf, type PrepareGraph } from '../graph.js';

type Hop = (value: number) => void;

interface Due {
  readonly time: number;
  readonly level: number;
  readonly hop: Hop;
  readonly value: number;
}

const comesBefore = (a: Due, b: Due): boolean => (a.time === b.time ? a.level < b.level : a.time < b.time);

/**
 * The least that a scheduler in logical time can be, which is what the others are compared with: a binary heap of functions by
 * time and level. No ports, no checks, no trace, no end, no turn for the event loop.
 */
class BareScheduler {
  now = 0;
  private readonly heap: Due[] = [];

  schedule(time: number, level: number, hop: Hop, value: number): void {
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

  private pop(): Due | undefined {
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

export const prepare: PrepareGraph = (nodes, events) => {
  const scheduler = new BareScheduler();
  let sum = 0;
  let next: Hop = (value) => void (sum += value);
  for (let level = nodes - 1; level > 1; level--) {
    const after = next;
    next = (value) => scheduler.schedule(scheduler.now, level, after, value + 1);
  }
  const first = next;
  const tick: Hop = (count) => {
    if (count < events) scheduler.schedule(scheduler.now + 1_000, 0, tick, count + 1);
    scheduler.schedule(scheduler.now, 1, first, count);
  };
  scheduler.schedule(0, 0, tick, 1);
  return {
    ...chainOf(nodes, events),
    run: () => {
      scheduler.run();
      return sum;
    },
  };
};
