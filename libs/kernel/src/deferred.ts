/** A promise with the functions that settle it. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(this: void, value: T | PromiseLike<T>): void;
  reject(this: void, error: unknown): void;
}

/**
 * Returns a promise that the caller settles. Only the first call of `resolve` or `reject` counts.
 *
 * @example
 * ```ts
 * import { deferred } from '@roost/kernel';
 *
 * const connected = deferred<string>();
 * setTimeout(() => connected.resolve('db-1'), 10);
 * console.log(await connected.promise);
 * ```
 */
export function deferred<T = void>(): Deferred<T> {
  let resolve!: Deferred<T>['resolve'];
  let reject!: Deferred<T>['reject'];
  const promise = new Promise<T>((...settle) => ([resolve, reject] = settle));
  return { promise, resolve, reject };
}
