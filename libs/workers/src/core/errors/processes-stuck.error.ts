import { formatDuration } from '@roost/time';
import { WorkersError } from './workers.error.js';

/** Processes that have not ended in their time. They go on, but the shutdown does not wait any longer. @publicApi */
export class ProcessesStuckError extends WorkersError {
  constructor(
    readonly processes: readonly string[],
    readonly waitedMs: number,
    /** Their work in flight. */
    readonly unfinished: string,
    options?: ErrorOptions,
  ) {
    super(
      'WORKERS_STUCK',
      `Not ended after ${formatDuration(waitedMs)}: ${unfinished}. Ask run.isRunning() between steps, hand run.signal to what ` +
        'waits, release every hold, or raise maxWaitMs.',
      options,
    );
  }
}
