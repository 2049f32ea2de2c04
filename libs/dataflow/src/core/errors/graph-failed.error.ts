import { DataflowError } from './dataflow.error.js';

/** A node has asked for a stop by force. @publicApi */
export class GraphFailedError extends DataflowError {
  constructor(
    readonly node: string,
    readonly reason: string,
    readonly exitCode: number,
  ) {
    super('DATAFLOW_GRAPH_FAILED', `Node "${node}" stopped the graph with exit code ${exitCode}: ${reason}.`);
  }
}
