import { DataflowError } from '../core/index.js';

/** At boot: several nodes need an instance each, and the provider of their class has only one to give. @publicApi */
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
