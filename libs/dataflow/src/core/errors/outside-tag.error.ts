import { DataflowError } from './dataflow.error.js';

/** Something was done that only a running reaction may do. @publicApi */
export class OutsideTagError extends DataflowError {
  constructor(
    readonly node: string,
    readonly what: string,
  ) {
    super(
      'DATAFLOW_OUTSIDE_TAG',
      `${what} of node "${node}" comes when no reaction of it is running, so that there is no tag for it. Await what a reaction begins before it returns; from outside use a physical action.`,
    );
  }
}
