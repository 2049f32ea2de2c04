import { DataflowError } from './dataflow.error.js';

/** The placement does not fit its graph. @publicApi */
export class PlacementError extends DataflowError {
  constructor(problem: string) {
    super('DATAFLOW_PLACEMENT', `The placement does not fit the graph: ${problem}.`);
  }
}
