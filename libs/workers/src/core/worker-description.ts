/**
 * State of a background process:
 *
 * - `ready`: not started yet
 * - `running`
 * - `restarting`: waiting for its next run
 * - `stopping`, `stopped`
 * - `failed`: not restarted
 *
 * @publicApi
 */
export type WorkerState = 'ready' | 'running' | 'restarting' | 'stopping' | 'stopped' | 'failed';

/** A background process, as returned by `Workers.describe()`. @publicApi */
export interface WorkerDescription {
  readonly name: string;
  readonly state: WorkerState;
  /** Number of calls to `isRunning()` that returned true, over all runs. */
  readonly steps: number;
  readonly restarts: number;
  /** Whether it has failed several times in a row and has not run for `resetAfterMs` since. */
  readonly crashLoop: boolean;
  /** Message of the last error. */
  readonly lastError?: string;
  readonly holds: readonly { readonly name: string; readonly ageMs: number }[];
  /** Items of `consume()` that are being handled. */
  readonly itemsInFlight: number;
  /** Work that a shutdown would wait for now: holds and items, or 1 if it is in the middle of a step without any. */
  readonly inFlight: number;
  /** Time in ms in the current state. */
  readonly sinceMs: number;
}
