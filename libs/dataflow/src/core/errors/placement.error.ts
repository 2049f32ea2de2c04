import { DataflowError } from './dataflow.error.js';

/** A placement that does not fit its graph. @publicApi */
export class PlacementError extends DataflowError {
  constructor(problem: string) {
    super(
      'DATAFLOW_PLACEMENT',
      `The placement does not fit the graph: ${problem}. Every node has to be in exactly one process, and what a process may lose ` +
        'in a restart in none that is restarted.',
    );
  }
}
