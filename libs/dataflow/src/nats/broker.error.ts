import { messageOf } from '@roost/kernel';
import { DataflowError } from '../core/errors/dataflow.error.js';

/** The NATS server does not answer, or refuses this client. @publicApi */
export class BrokerError extends DataflowError {
  constructor(
    readonly servers: string,
    what: string,
    cause?: unknown,
  ) {
    const why = cause === undefined ? '' : `: ${messageOf(cause)}`;
    super(
      'DATAFLOW_BROKER',
      `NATS at ${servers} ${what}${why}. Check that the server runs there and permits this connection.`,
      cause === undefined ? undefined : { cause },
    );
  }
}
