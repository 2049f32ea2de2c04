interface Link<T> {
  readonly value: T;
  next: Link<T> | undefined;
}

/** A queue with constant-time push and shift. */
export class Fifo<T> {
  size = 0;
  #first: Link<T> | undefined;
  #last: Link<T> | undefined;

  push(value: T): void {
    const link: Link<T> = { value, next: undefined };
    if (this.#last) this.#last.next = link;
    else this.#first = link;
    this.#last = link;
    this.size++;
  }

  /** Call it only when the queue is not empty. */
  shift(): T {
    const { value, next } = this.#first!;
    this.#first = next;
    if (!next) this.#last = undefined;
    this.size--;
    return value;
  }
}
