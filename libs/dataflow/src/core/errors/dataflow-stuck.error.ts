import { formatDuration } from '@roost/time';
import { DataflowError } from './dataflow.error.js';

/** The graph did not stop in time and was stopped by force. Events are lost. @publicApi */
export class DataflowStuckError extends DataflowError {
  constructor(
    readonly nodes: readonly string[],
    readonly waitedMs: number,
    /** Description of the unfinished work. */
    left: string,
  ) {
    super(
      'DATAFLOW_STUCK',
      `The graph was stopped by force, because it had not stopped after ${formatDuration(waitedMs)}: ${left}. ` +
        'Pass ctx.signal to the operations that reactions await, or raise stopTimeoutMs.',
    );
  }
}
