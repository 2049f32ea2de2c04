import { WorkersError } from './workers.error.js';

/**
 * The `reason` of `run.signal`. If a process throws this error, or an `AbortError` caused by it, it has stopped
 * normally.
 *
 * @publicApi
 */
export class StopRequestedError extends WorkersError {
  /**
   * @param failure the error of the process, if a failure caused the stop. The rest of that run must end, and another
   * run may follow.
   */
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
