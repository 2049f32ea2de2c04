import { DataflowError } from './dataflow.error.js';

/** A property is declared in more than one way, for example as an input and as an output. @publicApi */
export class AmbiguousMemberError extends DataflowError {
  constructor(
    readonly node: string,
    readonly member: string,
  ) {
    super(
      'DATAFLOW_AMBIGUOUS_MEMBER',
      `Node "${node}" declares "${member}" in more than one way. Make it one input, one output or one action.`,
    );
  }
}
