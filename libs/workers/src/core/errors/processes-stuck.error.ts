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
      `Still running after ${formatDuration(waitedMs)}: ${unfinished}. Check run.isRunning() between steps, pass run.signal ` +
        'to calls that wait, release every hold, or raise maxWaitMs.',
      options,
    );
  }
}
