import { formatDuration } from '@roost/time';
import { DataflowError } from './dataflow.error.js';

/** The graph has not stopped in its time, and was stopped by force: events are lost. @publicApi */
export class DataflowStuckError extends DataflowError {
  constructor(
    readonly nodes: readonly string[],
    readonly waitedMs: number,
    /** What they were doing. */
    left: string,
  ) {
    super(
      'DATAFLOW_STUCK',
      `The graph was stopped by force, because it had not stopped after ${formatDuration(waitedMs)}: ${left}. ` +
        'Pass ctx.signal to the operations that reactions await, or raise stopTimeoutMs.',
    );
  }
}
