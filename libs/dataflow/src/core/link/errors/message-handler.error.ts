import { messageOf } from '@roost/kernel';
import { DataflowError } from '../../errors/dataflow.error.js';

/** The handler of a message threw. The message counts as received and is not delivered again. @publicApi */
export class MessageHandlerError extends DataflowError {
  constructor(
    readonly peer: string,
    cause: unknown,
  ) {
    super('DATAFLOW_MESSAGE_HANDLER', `The handler of a message from "${peer}" threw: ${messageOf(cause)}`, {
      cause,
    });
  }
}
