import { DataflowError } from '../core/index.js';

/** Thrown at boot: several nodes need their own instance of a class, but its provider gives only one. @publicApi */
export class SharedNodeInstanceError extends DataflowError {
  constructor(
    readonly nodes: readonly string[],
    readonly className: string,
  ) {
    super(
      'DATAFLOW_SHARED_NODE_INSTANCE',
      `Nodes ${nodes.join(', ')} each need their own instance of ${className}, but it is provided as a value or by a factory, ` +
        'which gives only one. List the class itself in providers.',
    );
  }
}
