import { DataflowError } from '../core/index.js';

/** At boot: the class of a node is request-scoped, itself or by what it depends on; nodes outlive requests. @publicApi */
export class RequestScopedNodeError extends DataflowError {
  constructor(
    readonly node: string,
    readonly className: string,
  ) {
    super(
      'DATAFLOW_REQUEST_SCOPED_NODE',
      `${className}, or what it depends on, is request-scoped, but node "${node}" belongs to no request. Use default ` +
        'scope, or take what is request-scoped from ModuleRef.resolve() in a reaction.',
    );
  }
}
