import { formatDuration } from '@roost/time';
import { WorkersError } from './workers.error.js';

/** What has not ended in its time. It goes on, but nobody waits for it any longer. @publicApi */
export class ProcessesStuckError extends WorkersError {
  constructor(
    readonly processes: readonly string[],
    readonly waitedMs: number,
    /** What they were doing. */
    readonly left: string,
    options?: ErrorOptions,
  ) {
    super(
      'WORKERS_STUCK',
      `Not ended after ${formatDuration(waitedMs)}: ${left}. Ask run.isRunning() between steps, hand run.signal to what ` +
        'waits, release every hold, or raise maxWaitMs.',
      options,
    );
  }
}
