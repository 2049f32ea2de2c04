const FIRST_SLOTS = 16;

const resolved = Promise.resolve();

/**
 * The smallest possible actor, and the baseline for the others: a ring buffer whose length is a power of two, emptied
 * in one microtask. It has no supervision, no names, no stop, and never yields to the event loop.
 */
export class RingActor<M> {
  private slots = new Array<M | undefined>(FIRST_SLOTS);
  private head = 0;
  private size = 0;
  private scheduled = false;
  private readonly drain = (): void => this.handleAll();

  constructor(private readonly handle: (message: M) => void | Promise<void>) {}

  tell(message: M): void {
    if (this.size === this.slots.length) this.grow();
    this.slots[(this.head + this.size++) & (this.slots.length - 1)] = message;
    if (!this.scheduled) {
      this.scheduled = true;
      void resolved.then(this.drain);
    }
  }

  private handleAll(): void {
    while (this.size > 0) {
      const result = this.handle(this.take());
      if (result !== undefined && typeof result.then === 'function') {
        void result.then(this.drain, this.drain);
        return;
      }
    }
    this.scheduled = false;
  }

  private take(): M {
    const { slots, head } = this;
    const message = slots[head] as M;
    slots[head] = undefined;
    this.head = (head + 1) & (slots.length - 1);
    this.size--;
    return message;
  }

  private grow(): void {
    const { slots, head } = this;
    const larger = new Array<M | undefined>(2 * slots.length);
    for (let i = 0; i < slots.length; i++) larger[i] = slots[(head + i) & (slots.length - 1)];
    this.slots = larger;
    this.head = 0;
  }
}
