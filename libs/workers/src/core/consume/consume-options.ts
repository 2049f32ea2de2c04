import type { Observable } from 'rxjs';

/** @publicApi */
export interface ConsumeOptions<T> {
  /** The most items that are handled at a time. @default 1 */
  concurrency?: number;
  /** Deals with the error of a handler, and the rest goes on. What it throws counts as an error of the handler. */
  onError?: (error: unknown, item: T) => unknown;
}

/** @publicApi */
export type ItemSource<T> = AsyncIterable<T> | Iterable<T> | Observable<T>;

/** A source of items, or what opens one and can end it by the signal. @publicApi */
export type ConsumeSource<T> = ItemSource<T> | ((signal: AbortSignal) => ItemSource<T>);
