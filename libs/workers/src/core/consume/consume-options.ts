import type { Observable } from 'rxjs';

/**
 * Options of `run.consume()`.
 *
 * @example
 * ```ts
 * import { BackgroundProcess, type RunToken } from '@roost/workers';
 *
 * async function* orders(signal: AbortSignal): AsyncGenerator<number> {
 *   for (let id = 1; !signal.aborted; id++) yield id;
 * }
 *
 * @BackgroundProcess()
 * export class OrderConsumerProcess {
 *   async handle(run: RunToken): Promise<void> {
 *     await run.consume(orders, async (id) => console.log(`order ${id}`), {
 *       concurrency: 4,
 *       onError: (error, id) => console.error(`order ${id} failed`, error),
 *     });
 *   }
 * }
 * ```
 *
 * @publicApi
 */
export interface ConsumeOptions<T> {
  /** Maximum number of items handled concurrently. @default 1 */
  concurrency?: number;
  /**
   * Handles an error of the handler, after which consumption continues. If it throws, that counts as an error of the
   * handler.
   */
  onError?: (error: unknown, item: T) => unknown;
}

/** A source of items. @publicApi */
export type ItemSource<T> = AsyncIterable<T> | Iterable<T> | Observable<T>;

/** A source of items, or a function that opens one. The function receives a signal that ends the source. @publicApi */
export type ConsumeSource<T> = ItemSource<T> | ((signal: AbortSignal) => ItemSource<T>);
