/** Receives the items of a source. */
export interface Sink<T> {
  /** Whether another item can be handled now. */
  readonly hasRoom: boolean;
  /** Whether no further item is wanted, because the process must stop or a handler failed. */
  readonly isEnding: boolean;
  /** Starts to handle an item. Never throws. */
  take(item: T): void;
  /** Called whenever there may be room again. */
  onRoom: () => void;
  /** Calls back once when no further item is wanted, immediately if that is already the case. */
  onEnding(callback: () => void): void;
}
