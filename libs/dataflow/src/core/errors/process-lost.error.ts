import { DataflowError } from './dataflow.error.js';

/** A process of the run is lost. @publicApi */
export class ProcessLostError extends DataflowError {
  constructor(
    readonly process: string,
    readonly nodes: readonly string[],
    readonly why: string,
  ) {
    super(
      'DATAFLOW_PROCESS_LOST',
      `Process "${process}" (nodes: ${nodes.join(', ')}) is lost: ${why}. To continue without its nodes, or to restart it, set their onCrash.`,
    );
  }
}
