import { DataflowError } from '../core/index.js';

/** At boot: a node of the graph is to run here, and no module provides its class. @publicApi */
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
