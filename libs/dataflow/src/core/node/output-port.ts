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
   * Sends a value over all connections, at the current tag plus the delay of each connection. The value must be plain
   * data, and is frozen. May be called once per tag.
   *
   * @throws DoubleWriteError, OutsideTagError, UndeclaredAccessError, UnserialisablePayloadError. Each stops the graph.
   */
  set(value: T): void {
    this.#slot.write(value);
  }
}
