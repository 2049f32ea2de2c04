import { formatDuration } from '@roost/time';
import { DataflowError } from './dataflow.error.js';

/** Not all processes joined the run in time. @publicApi */
export class ProcessesMissingError extends DataflowError {
  constructor(
    readonly processes: readonly string[],
    waitedMs: number,
  ) {
    super(
      'DATAFLOW_PROCESSES_MISSING',
      `Processes that did not join within ${formatDuration(waitedMs)}: ${processes.join(', ')}. Start every process of the placement, and check coordinatorAddress, token and app.`,
    );
  }
}
