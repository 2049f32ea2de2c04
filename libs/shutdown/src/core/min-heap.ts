/** A min-heap of numbers. `push` and `pop` take O(log n). */
export class MinHeap {
  readonly #items: number[] = [];

  get size(): number {
    return this.#items.length;
  }

  push(value: number): void {
    const items = this.#items;
    let child = items.push(value) - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (items[parent]! <= value) break;
      items[child] = items[parent]!;
      child = parent;
    }
    items[child] = value;
  }

  pop(): number | undefined {
    const items = this.#items;
    const smallest = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return smallest;
    let parent = 0;
    for (;;) {
      let child = 2 * parent + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && items[child + 1]! < items[child]!) child++;
      if (items[child]! >= last) break;
      items[parent] = items[child]!;
      parent = child;
    }
    items[parent] = last;
    return smallest;
  }
}
