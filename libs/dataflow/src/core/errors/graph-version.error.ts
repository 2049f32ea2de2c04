import { DataflowError } from './dataflow.error.js';

/** Two processes of a run have different graphs, or settings that have to be the same. @publicApi */
export class GraphVersionError extends DataflowError {
  constructor(
    readonly process: string,
    readonly theirs: string,
    readonly ours: string,
  ) {
    super(
      'DATAFLOW_GRAPH_VERSION',
      `Process "${process}" has version ${theirs} of the run, the coordinator has ${ours}. ` +
        (theirs.split('-')[0] === ours.split('-')[0]
          ? 'The graph is the same, but not the placement, fast, timeout, seed or replay: give every process the same.'
          : 'Deploy the same graph everywhere: nodes, ports, reactions and connections.'),
    );
  }
}
