import type { OutputSlot } from '../engine/slots.js';

/** An output of a node. @publicApi */
export class OutputPort<in out T> {
  declare private readonly carries: T;
  readonly #slot: OutputSlot;

  /** @internal */
  constructor(slot: OutputSlot) {
    this.#slot = slot;
  }

  /**
   * Sends a value to everything that is connected, at the current tag plus the delay of each connection. The value is plain
   * data and is frozen by this. At most once per tag.
   *
   * @throws DoubleWriteError, OutsideTagError, UndeclaredAccessError, UnserialisablePayloadError. Each stops the graph.
   */
  set(value: T): void {
    this.#slot.write(value);
  }
}
