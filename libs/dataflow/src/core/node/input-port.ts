import type { InputSlot } from '../engine/slots.js';

/** An input of a node, as its reactions see it. @publicApi */
export class InputPort<in out T> {
  declare private readonly carries: T;
  readonly #slot: InputSlot;

  /** @internal */
  constructor(slot: InputSlot) {
    this.#slot = slot;
  }

  /** Whether something was sent for the current tag. */
  get isPresent(): boolean {
    return this.#slot.read().isPresent;
  }

  /** What was sent for the current tag, or else `undefined`; with `retain` the last value there was. With fan-in the first. */
  get value(): T | undefined {
    return this.#slot.read().value as T | undefined;
  }

  /** What was sent for the current tag by each of the connected outputs, in the order given to `merge()`. */
  get values(): readonly T[] {
    return this.#slot.read().values as T[];
  }
}
