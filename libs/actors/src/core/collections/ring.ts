/** A FIFO queue in a ring buffer whose length is a power of two. It doubles when full. */
export class Ring<T> {
  size = 0;
  private slots = new Array<T | undefined>(64);
  private head = 0;

  push(item: T): void {
    if (this.size === this.slots.length) this.grow();
    this.slots[(this.head + this.size++) & (this.slots.length - 1)] = item;
  }

  /** Only when `size` is not 0. */
  shift(): T {
    const { slots, head } = this;
    const item = slots[head] as T;
    slots[head] = undefined;
    this.head = (head + 1) & (slots.length - 1);
    this.size--;
    return item;
  }

  private grow(): void {
    const { slots, head } = this;
    this.slots = slots.slice(head).concat(slots.slice(0, head));
    this.slots.length *= 2;
    this.head = 0;
  }
}
