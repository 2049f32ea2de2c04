import type { ConsumeOptions, ConsumeSource } from '../consume/consume-options.js';

/**
 * Passed to a background process, or to a function given to `runGracefully`. Each run has its own token.
 *
 * A shutdown waits for a run until its function has settled, its holds are released and the items it consumes are
 * handled. After a process has thrown, its token requests a stop too, until the holds and items of that run have ended.
 *
 * @example
 * ```ts
 * import { BackgroundProcess, type RunToken } from '@roost/workers';
 *
 * @BackgroundProcess()
 * export class MailerProcess {
 *   async handle(run: RunToken): Promise<void> {
 *     while (await run.sleep(1_000)) {
 *       using _ = run.hold('next mail');
 *       await this.sendNext();
 *     }
 *   }
 *
 *   private async sendNext(): Promise<void> {}
 * }
 * ```
 *
 * @publicApi
 */
export interface RunToken {
  /** Name of the process. */
  readonly name: string;

  /**
   * Returns true until the process must stop, and false from then on. Call it between two steps: a stop never
   * interrupts a step. Each call that returns true counts as a step.
   */
  isRunning(): boolean;

  /**
   * Aborts with a `StopRequestedError` when the process must stop. Pass it to calls that wait, but not to calls in the
   * middle of a step. It does not abort because the run has ended.
   */
  readonly signal: AbortSignal;

  /**
   * Resolves to true after `ms`, or to false as soon as the process must stop, immediately if it already must.
   * `Infinity` waits for the stop.
   *
   * @throws InvalidWorkerOptionError
   */
  sleep(ms: number): Promise<boolean>;

  /**
   * Makes the shutdown wait until the lease is released, even after the function has returned.
   *
   * @param name name for logs, such as `order 42`
   * @throws ProcessEndedError after the run has ended, because the shutdown would not wait for the lease
   * @throws WorkersStoppedError after the shutdown has stopped waiting
   */
  hold(name?: string): Lease;

  /**
   * Passes every item of a source to a handler, until the source ends or the process must stop. Items are started in
   * the order of the source.
   *
   * An iterable is asked for an item only when there is room for it. On a stop it is asked for no further item and
   * closed with `return()`; an item that it was already producing is still handled. An observable cannot be slowed
   * down: its items are queued until there is room, and on a stop it is unsubscribed. Items that were taken are always
   * handled.
   *
   * Resolves when all taken items are handled and the source has ended. A source that can block needs a signal: pass a
   * function that takes the signal, which aborts on a stop and when a handler fails.
   *
   * @throws the error of the source, or of the first handler unless there is an `onError`. No further item is taken
   * then, and the items already taken are handled first. A source that ends because of the signal does not count as an
   * error.
   */
  consume<T>(
    source: ConsumeSource<T>,
    handler: (item: T, signal: AbortSignal) => unknown,
    options?: ConsumeOptions<T>,
  ): Promise<void>;
}

/** Keeps a shutdown waiting until it is released. @publicApi */
export interface Lease {
  readonly name: string;
  /** Releases the lease. A second call does nothing. */
  release(): void;
  [Symbol.dispose](): void;
}
