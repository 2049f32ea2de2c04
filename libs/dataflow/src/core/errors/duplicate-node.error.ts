import { DataflowError } from './dataflow.error.js';

/** Two nodes of a graph have the same name. @publicApi */
export class DuplicateNodeError extends DataflowError {
  constructor(
    readonly node: string,
    first: string,
    second: string,
  ) {
    super(
      'DATAFLOW_DUPLICATE_NODE',
      `Two nodes of the graph are named "${node}" (${first} and ${second}). Rename one of them: g.node(${second}, { name: '…' }).`,
    );
  }
}
