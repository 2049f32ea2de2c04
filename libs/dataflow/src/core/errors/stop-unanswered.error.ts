import { formatDuration } from '@roost/time';
import { DataflowError } from './dataflow.error.js';

/** Not every process has said where it can stop. @publicApi */
export class StopUnansweredError extends DataflowError {
  constructor(
    readonly nodes: readonly string[],
    waitedMs: number,
  ) {
    super(
      'DATAFLOW_STOP_UNANSWERED',
      `No answer about a stop tag after ${formatDuration(waitedMs)} from ${nodes.join(', ')}. Their processes are busy or cut off; the graph is stopped by force.`,
    );
  }
}
