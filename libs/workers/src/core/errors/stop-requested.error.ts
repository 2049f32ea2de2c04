import { WorkersError } from './workers.error.js';

/**
 * Why `run.signal` has aborted. A process that ends with it, or with an `AbortError` caused by it, has ended normally.
 *
 * @publicApi
 */
export class StopRequestedError extends WorkersError {
  /** @param failure what the process has failed with, if that is why: the rest of that run is to end, another may follow */
  constructor(
    readonly process: string,
    failure?: { readonly error: unknown },
  ) {
    super(
      'WORKERS_STOP_REQUESTED',
      failure
        ? `"${process}" failed. End the rest of this run.`
        : `"${process}" must stop. Finish the current step and return.`,
      failure && { cause: failure.error },
    );
  }
}
