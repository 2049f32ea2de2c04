import { DataflowError } from './dataflow.error.js';

/** A node does not have the named port or action. @publicApi */
export class UnknownPortError extends DataflowError {
  constructor(
    readonly node: string,
    readonly port: string,
    readonly known: readonly string[],
  ) {
    super(
      'DATAFLOW_UNKNOWN_PORT',
      `Node "${node}" has no port or action "${port}". Known: ${known.length > 0 ? known.join(', ') : 'none'}. Declare it with @Input(), @Output(), @LogicalAction() or @PhysicalAction().`,
    );
  }
}
