import { messageOf } from '@roost/kernel';
import { DataflowError } from '../../errors/dataflow.error.js';

/** What a message was handed to has thrown. The message counts as received: it does not come again. @publicApi */
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
