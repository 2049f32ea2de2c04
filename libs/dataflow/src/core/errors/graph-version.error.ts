import { DataflowError } from './dataflow.error.js';

/** Two processes of a run have different graphs. @publicApi */
export class GraphVersionError extends DataflowError {
  constructor(
    readonly process: string,
    readonly theirs: string,
    readonly ours: string,
  ) {
    super(
      'DATAFLOW_GRAPH_VERSION',
      `Process "${process}" has version ${theirs} of the graph, the coordinator has ${ours}. Deploy the same graph everywhere: nodes, ports, reactions and connections.`,
    );
  }
}
