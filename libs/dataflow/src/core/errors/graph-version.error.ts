import { DataflowError } from './dataflow.error.js';

/** Two processes of a run differ in the graph, or in settings that must be the same. @publicApi */
export class GraphVersionError extends DataflowError {
  constructor(
    readonly process: string,
    readonly theirs: string,
    readonly ours: string,
  ) {
    super(
      'DATAFLOW_GRAPH_VERSION',
      `Process "${process}" has version ${theirs} of the run, but the coordinator has ${ours}. ` +
        (theirs.split('-')[0] === ours.split('-')[0]
          ? 'The graph is the same, but the placement, fast, timeout, seed or replay differs. Use the same settings in every process.'
          : 'Deploy the same graph to every process: nodes, ports, reactions and connections.'),
    );
  }
}
