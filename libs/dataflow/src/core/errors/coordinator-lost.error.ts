import { DataflowError } from './dataflow.error.js';

/** The process with the coordinator is lost. @publicApi */
export class CoordinatorLostError extends DataflowError {
  constructor(
    readonly process: string,
    readonly why: string,
  ) {
    super(
      'DATAFLOW_COORDINATOR_LOST',
      `The coordinator in process "${process}" is lost: ${why}. The run cannot continue without it. Start all processes again.`,
    );
  }
}
