/**
 * A promise that notices when it is awaited. `await` calls `then` only on promises that are not native ones, hence the
 * subclass. Promises derived from it are native again.
 */
export class RunPromise<T> extends Promise<T> {
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  onAwait: (() => void) | undefined;

  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.onAwait?.();
    return super.then(onFulfilled, onRejected);
  }
}

export interface Resolvers<T> {
  promise: RunPromise<T>;
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
}

export const withResolvers = <T>(onAwait?: () => void): Resolvers<T> => {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new RunPromise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  promise.onAwait = onAwait;
  return { promise, resolve, reject };
};
