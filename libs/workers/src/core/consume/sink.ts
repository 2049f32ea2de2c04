/** Where a source puts its items. */
export interface Sink<T> {
  /** Whether one more item can be handled now. */
  readonly hasRoom: boolean;
  /** No further item is wanted: the process is to stop, or a handler has failed. */
  readonly isEnding: boolean;
  /** Begins to handle an item. Never throws. */
  take(item: T): void;
  /** Is called each time there may be room again. */
  onRoom: () => void;
  /** Is called once when no further item is wanted, at once if that is so already. */
  onEnding(callback: () => void): void;
}
