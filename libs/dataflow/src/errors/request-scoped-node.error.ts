import { DataflowError } from '../core/index.js';

/**
 * Thrown at boot: a node's class or one of its dependencies is request-scoped, but nodes outlive requests.
 *
 * @publicApi
 */
export class RequestScopedNodeError extends DataflowError {
  constructor(
    readonly node: string,
    readonly className: string,
  ) {
    super(
      'DATAFLOW_REQUEST_SCOPED_NODE',
      `${className} or one of its dependencies is request-scoped, but node "${node}" does not belong to a request. ` +
        'Use the default scope, or resolve request-scoped providers with ModuleRef.resolve() in a reaction.',
    );
  }
}
