import { DataflowError } from './dataflow.error.js';

/** A node has stopped the graph by force with `ctx.fail()`. @publicApi */
export class GraphFailedError extends DataflowError {
  constructor(
    readonly node: string,
    readonly reason: string,
    readonly exitCode: number,
  ) {
    super('DATAFLOW_GRAPH_FAILED', `Node "${node}" stopped the graph with exit code ${exitCode}: ${reason}.`);
  }
}
