import { DataflowError } from './dataflow.error.js';

/** Nodes that depend on each other within one tag are placed in different processes. @publicApi */
export class SplitCycleError extends DataflowError {
  constructor(readonly nodes: readonly string[]) {
    super(
      'DATAFLOW_SPLIT_CYCLE',
      `${nodes.join(', ')} are on a cycle without delay that spans several processes, or downstream of one. ` +
        'A node would have to handle one tag in two parts. Place the nodes of the cycle in one process, or add a delay to one connection.',
    );
  }
}
