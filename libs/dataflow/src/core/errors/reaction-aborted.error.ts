import { DataflowError } from './dataflow.error.js';

/** Abort reason of `ctx.signal` when the graph is stopped by force. @publicApi */
export class ReactionAbortedError extends DataflowError {
  constructor() {
    super('DATAFLOW_FORCED_STOP', 'The graph is being stopped by force, so reactions must not wait any longer.');
  }
}
