import { DataflowError } from './dataflow.error.js';

/** An operation that needs a running reaction was used outside of one. @publicApi */
export class OutsideTagError extends DataflowError {
  constructor(
    readonly node: string,
    readonly what: string,
  ) {
    super(
      'DATAFLOW_OUTSIDE_TAG',
      `${what} outside of a reaction of node "${node}" is not possible: there is no current tag. Await asynchronous work before the reaction returns, or use a physical action for input from outside.`,
    );
  }
}
