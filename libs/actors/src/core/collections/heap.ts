/** An array up to this length is kept when the heap becomes empty, because shrinking it costs more than it saves. */
const KEPT_PLACES = 64;

/** A binary heap: `take` returns the smallest item. `push` and `take` are O(log n). */
export class Heap<T> {
  size = 0;
  /** Only the first `size` slots are in use. */
  private items: (T | undefined)[] = [];

  constructor(private readonly isBefore: (a: T, b: T) => boolean) {}

  /** Only when `size` is not 0. */
  peek(): T {
    return this.items[0]!;
  }

  push(item: T): void {
    const { items } = this;
    let at = this.size++;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (this.isBefore(items[above]!, item)) break;
      items[at] = items[above];
      at = above;
    }
    items[at] = item;
  }

  /** Only when `size` is not 0. */
  take(): T {
    const { items } = this;
    const first = items[0]!;
    const size = --this.size;
    const last = items[size]!;
    items[size] = undefined;
    if (size > 0) this.sink(last);
    else this.clear();
    return first;
  }

  /** All items, in no particular order. */
  toArray(): T[] {
    return this.items.slice(0, this.size) as T[];
  }

  /** Keeps only the items for which `isKept` returns true. */
  filter(isKept: (item: T) => boolean): void {
    const kept = this.toArray().filter(isKept);
    this.clear();
    for (const item of kept) this.push(item);
  }

  clear(): void {
    this.size = 0;
    if (this.items.length > KEPT_PLACES) this.items = [];
  }

  private sink(item: T): void {
    const { items, size } = this;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= size) break;
      if (below + 1 < size && this.isBefore(items[below + 1]!, items[below]!)) below++;
      if (this.isBefore(item, items[below]!)) break;
      items[at] = items[below];
      at = below;
    }
    items[at] = item;
  }
}
