import type { ConsumeOptions, ConsumeSource } from '../consume/consume-options.js';

/**
 * The interface between a background process, or a function given to `runGracefully`, and its engine. Each run has its own.
 *
 * A shutdown waits for a run until its function has settled, its holds are released and what it consumes is handled. A
 * process that has thrown is told to stop too, until its holds and items of that run have ended.
 *
 * @publicApi
 */
export interface RunToken {
  /** Name of the process. */
  readonly name: string;

  /**
   * True until the process is to stop, and false from then on. Ask it between two steps: a step is never cut in the
   * middle. Each true is counted as a step.
   */
  isRunning(): boolean;

  /**
   * Aborts when the process is to stop, with a `StopRequestedError`. For whatever waits: what is in the middle of a step
   * should not be given it. It does not abort because the run is over.
   */
  readonly signal: AbortSignal;

  /**
   * True after `ms`; false as soon as the process is to stop, at once if it already is. `Infinity` waits for the stop.
   *
   * @throws InvalidWorkerOptionError
   */
  sleep(ms: number): Promise<boolean>;

  /**
   * The shutdown waits until the lease is released, also after the function has returned.
   *
   * @param name what it is for, in logs: `order 42`
   * @throws ProcessEndedError when the run is over, WorkersStoppedError when the shutdown has given up: no shutdown would
   *   wait for it
   */
  hold(name?: string): Lease;

  /**
   * Hands every item of a source to a handler until the source ends or the process is to stop. Items are started in the
   * order of the source.
   *
   * Iterables are asked for an item only when there is room for it. At a stop they are asked for no more and told to end
   * by `return()`; an item they still had under way is handled too. Observables cannot be slowed down: what they emit is
   * kept until there is room, and at a stop they are unsubscribed. What has been taken is always handled.
   *
   * Resolves when all that was taken is handled and the source has ended. A source that blocks needs a signal for that:
   * pass a function of the signal, which aborts at a stop and when a handler has failed.
   *
   * @throws what the source throws, or what the first handler throws unless there is an `onError`: nothing more is taken
   *   then, and what was taken is handled first. The end of a source by the signal is no error.
   */
  consume<T>(
    source: ConsumeSource<T>,
    handler: (item: T, signal: AbortSignal) => unknown,
    options?: ConsumeOptions<T>,
  ): Promise<void>;
}

/** @publicApi */
export interface Lease {
  readonly name: string;
  /** Releasing it again does nothing. */
  release(): void;
  [Symbol.dispose](): void;
}
