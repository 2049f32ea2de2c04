import { formatDuration } from '@roost/time';
import { WorkersError } from './workers.error.js';

/** Processes did not stop in time. They keep running, but the shutdown no longer waits for them. @publicApi */
export class ProcessesStuckError extends WorkersError {
  constructor(
    readonly processes: readonly string[],
    readonly waitedMs: number,
    /** Description of their in-flight work. */
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
