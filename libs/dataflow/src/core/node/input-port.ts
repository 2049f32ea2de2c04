import type { InputSlot } from '../engine/slots.js';

/** An input of a node, as seen by its reactions. @publicApi */
export class InputPort<in out T> {
  declare private readonly carries: T;
  readonly #slot: InputSlot;

  /** @internal */
  constructor(slot: InputSlot) {
    this.#slot = slot;
  }

  /** Whether a value has arrived at the current tag. */
  get isPresent(): boolean {
    return this.#slot.read().isPresent;
  }

  /**
   * The value at the current tag, or `undefined` if there is none. With `retain`, the last value that arrived. With
   * fan-in, the first of the values.
   */
  get value(): T | undefined {
    return this.#slot.read().value as T | undefined;
  }

  /** The values of all connected outputs at the current tag, in the order given to `merge()`. */
  get values(): readonly T[] {
    return this.#slot.read().values as T[];
  }
}
