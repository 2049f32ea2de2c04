import { DataflowError } from '../../errors/dataflow.error.js';

/** A message that is longer than the link takes. It is refused before memory is given to it. @publicApi */
export class OversizedFrameError extends DataflowError {
  constructor(
    /** The peer it came from or was to go to, or the address of a stranger. */
    readonly peer: string,
    readonly bytes: number,
    readonly limit: number,
  ) {
    super(
      'DATAFLOW_OVERSIZED_FRAME',
      `A frame of ${bytes} bytes on the link with ${peer} exceeds the limit of ${limit}. ` +
        'Send less at a time, or raise maxMessageBytes in every process. With NATS, also raise max_payload of the broker.',
    );
  }
}
