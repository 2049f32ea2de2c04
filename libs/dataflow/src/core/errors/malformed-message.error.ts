import { DataflowError } from './dataflow.error.js';

/** A process of the run has sent what no process of the run should send. @publicApi */
export class MalformedMessageError extends DataflowError {
  constructor(
    readonly from: string,
    readonly problem: string,
    options?: ErrorOptions,
  ) {
    super(
      'DATAFLOW_MALFORMED_MESSAGE',
      `A message of process "${from}" is malformed: ${problem}. Run the same version of the library everywhere, and give the ` +
        'processes a token that nobody else has.',
      options,
    );
  }
}
