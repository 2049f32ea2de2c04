import { DataflowError } from './dataflow.error.js';

/** The call requires a running graph. @publicApi */
export class DataflowNotRunningError extends DataflowError {
  constructor(readonly state: string) {
    super(
      'DATAFLOW_NOT_RUNNING',
      state === 'stopped'
        ? 'requestShutdown() was called too late: the graph has already stopped.'
        : 'requestShutdown() was called too early: the graph is not running yet. Call run() first.',
    );
  }
}
