/**
 * `ready` until the start, `running`, `restarting` (waits for its next run), `stopping`, `stopped`, or `failed`: it is not
 * restarted.
 *
 * @publicApi
 */
export type WorkerState = 'ready' | 'running' | 'restarting' | 'stopping' | 'stopped' | 'failed';

/** A background process, as `Workers.describe()` shows it. @publicApi */
export interface WorkerDescription {
  readonly name: string;
  readonly state: WorkerState;
  /** Number of times that `isRunning()` was true, over all runs. */
  readonly steps: number;
  readonly restarts: number;
  /** It has failed several times in a row, and has not run for `resetAfterMs` since. */
  readonly crashLoop: boolean;
  /** Text of the last error. */
  readonly lastError?: string;
  readonly holds: readonly { readonly name: string; readonly ageMs: number }[];
  /** Items of `consume()` that are being handled. */
  readonly itemsInFlight: number;
  /** The work that a shutdown would wait for now: holds and items, or else 1 in the middle of a step. */
  readonly inFlight: number;
  /** Time in that state. */
  readonly sinceMs: number;
}
