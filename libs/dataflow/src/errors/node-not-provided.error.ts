import { DataflowError } from '../core/index.js';

/** Thrown at boot: a node must run in this process, but no module provides its class. @publicApi */
export class NodeNotProvidedError extends DataflowError {
  constructor(
    readonly node: string,
    readonly className: string,
  ) {
    super(
      'DATAFLOW_NODE_NOT_PROVIDED',
      `Node "${node}" of the graph runs in this process, but no module provides its class. Add ${className} to the ` +
        'providers of a module that the application imports.',
    );
  }
}
