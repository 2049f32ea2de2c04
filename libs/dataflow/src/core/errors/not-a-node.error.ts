import { DataflowError } from './dataflow.error.js';

/** What was given to `g.node()` is not a class with `@DataflowNode()`. @publicApi */
export class NotANodeError extends DataflowError {
  constructor(readonly given: unknown) {
    super(
      'DATAFLOW_NOT_A_NODE',
      `g.node() was given ${typeof given === 'function' ? `${given.name || 'a class'}, which has no @DataflowNode()` : 'no class'}. Give it a class that is decorated with @DataflowNode(); a base class does not count.`,
    );
  }
}
