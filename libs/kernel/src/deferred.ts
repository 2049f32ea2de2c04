/** A promise with the functions that settle it. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(this: void, value: T | PromiseLike<T>): void;
  reject(this: void, error: unknown): void;
}

/** A promise that its maker settles. Only the first call of `resolve` or `reject` counts. */
export function deferred<T = void>(): Deferred<T> {
  let resolve!: Deferred<T>['resolve'];
  let reject!: Deferred<T>['reject'];
  const promise = new Promise<T>((...settle) => ([resolve, reject] = settle));
  return { promise, resolve, reject };
}
