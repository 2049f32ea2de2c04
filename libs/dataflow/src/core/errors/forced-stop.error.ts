import { DataflowError } from './dataflow.error.js';

/** Why `ctx.signal` aborts. @publicApi */
export class ForcedStopError extends DataflowError {
  constructor() {
    super('DATAFLOW_FORCED_STOP', 'The graph is stopped by force: what a reaction is waiting for is no longer needed.');
  }
}
