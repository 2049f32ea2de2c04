import { DataflowError } from '../core/index.js';

/** At boot: the class of a node is provided more than once, and only one of the instances could be the node. @publicApi */
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
