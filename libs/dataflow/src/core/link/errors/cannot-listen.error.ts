import { messageOf } from '@roost/kernel';
import { DataflowError } from '../../errors/dataflow.error.js';

/** `tcp()` cannot listen on its address. @publicApi */
export class CannotListenError extends DataflowError {
  constructor(
    readonly address: string,
    cause: unknown,
  ) {
    super(
      'DATAFLOW_CANNOT_LISTEN',
      `Cannot listen on ${address}: ${messageOf(cause)}. Choose another port, or 0 for any free one.`,
      { cause },
    );
  }
}
