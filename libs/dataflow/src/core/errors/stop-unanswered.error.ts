import { formatDuration } from '@roost/time';
import { DataflowError } from './dataflow.error.js';

/** Not all partitions have answered a stop proposal in time. @publicApi */
export class StopUnansweredError extends DataflowError {
  constructor(
    readonly nodes: readonly string[],
    waitedMs: number,
  ) {
    super(
      'DATAFLOW_STOP_UNANSWERED',
      `No answer to the stop proposal after ${formatDuration(waitedMs)} from ${nodes.join(', ')}. Their processes are busy or unreachable. The graph is stopped by force.`,
    );
  }
}
