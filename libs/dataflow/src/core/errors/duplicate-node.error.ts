import { DataflowError } from './dataflow.error.js';

/** Two nodes of a graph have one name. @publicApi */
export class DuplicateNodeError extends DataflowError {
  constructor(
    readonly node: string,
    first: string,
    second: string,
  ) {
    super(
      'DATAFLOW_DUPLICATE_NODE',
      `The graph has two nodes with the name "${node}" (${first} and ${second}). Give one another name: g.node(${second}, { name: '…' }).`,
    );
  }
}
