import { DataflowError } from '../core/index.js';

/** Thrown at boot: several providers create instances of a node's class, so the node is ambiguous. @publicApi */
export class DuplicateNodeProviderError extends DataflowError {
  constructor(
    readonly node: string,
    readonly className: string,
    readonly modules: readonly string[],
  ) {
    super(
      'DATAFLOW_DUPLICATE_NODE_PROVIDER',
      `${className}, the class of node "${node}", is provided more than once (in ${modules.join(', ')}), so it is ` +
        'unclear which instance is the node. Provide it in one module, export it there, and import that module.',
    );
  }
}
