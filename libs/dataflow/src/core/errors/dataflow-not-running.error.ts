import { DataflowError } from './dataflow.error.js';

/** Something was asked of a graph that does not run. @publicApi */
export class DataflowNotRunningError extends DataflowError {
  constructor(readonly state: string) {
    super(
      'DATAFLOW_NOT_RUNNING',
      state === 'stopped'
        ? 'requestShutdown() comes too late: the graph has ended.'
        : 'requestShutdown() comes too early: the graph does not run yet. Call run() first.',
    );
  }
}
