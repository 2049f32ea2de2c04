import { DataflowError } from './dataflow.error.js';

/** The reason of `ctx.signal` when the graph is stopped by force. @publicApi */
export class ReactionAbortedError extends DataflowError {
  constructor() {
    super('DATAFLOW_FORCED_STOP', 'The graph is stopped by force: what a reaction is waiting for is no longer needed.');
  }
}
