import { DataflowError } from './dataflow.error.js';

/** The recording was made with another graph. @publicApi */
export class RecordingMismatchError extends DataflowError {
  constructor(
    readonly recorded: string,
    readonly present: string,
  ) {
    super(
      'DATAFLOW_RECORDING_MISMATCH',
      `The recording was made with version ${recorded} of the graph, but this is version ${present}. Replay it with the nodes, ` +
        'ports, reactions and connections it was made with.',
    );
  }
}
