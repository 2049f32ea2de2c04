import { DataflowError } from './dataflow.error.js';

/** A process of the run has sent a message that violates the protocol. @publicApi */
export class MalformedMessageError extends DataflowError {
  constructor(
    readonly from: string,
    readonly problem: string,
    options?: ErrorOptions,
  ) {
    super(
      'DATAFLOW_MALFORMED_MESSAGE',
      `A message from process "${from}" is malformed: ${problem}. ` +
        'Run the same version of @roost/dataflow in every process, and give them a token that no other program knows.',
      options,
    );
  }
}
