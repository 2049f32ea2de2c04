import { DataflowError } from './dataflow.error.js';

/** Nodes that need each other within one tag are in different processes. @publicApi */
export class SplitCycleError extends DataflowError {
  constructor(readonly nodes: readonly string[]) {
    super(
      'DATAFLOW_SPLIT_CYCLE',
      `${nodes.join(', ')} are on a cycle without delay, or behind one, which runs through several processes: a node would ` +
        'have to handle a tag in two halves. Place the nodes of the cycle in one process, or put a delay on one connection.',
    );
  }
}
