import { DataflowError } from './dataflow.error.js';

/** The same two ports were connected twice. @publicApi */
export class DuplicateConnectionError extends DataflowError {
  constructor(
    readonly from: string,
    readonly to: string,
  ) {
    super(
      'DATAFLOW_DUPLICATE_CONNECTION',
      `${from} is connected to ${to} twice, so each value would arrive twice. Remove one of the connections.`,
    );
  }
}
