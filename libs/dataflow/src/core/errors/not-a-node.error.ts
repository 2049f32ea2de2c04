import { DataflowError } from './dataflow.error.js';

/** The argument of `g.node()` is not a class with `@DataflowNode()`. @publicApi */
export class NotANodeError extends DataflowError {
  constructor(readonly given: unknown) {
    super(
      'DATAFLOW_NOT_A_NODE',
      `g.node() got ${typeof given === 'function' ? `${given.name || 'a class'}, which has no @DataflowNode()` : 'a value that is not a class'}. Pass a class that is itself decorated with @DataflowNode(); the decorator is not inherited.`,
    );
  }
}
