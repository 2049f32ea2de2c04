import { DataflowError } from '../../errors/dataflow.error.js';

/** A message exceeds the limit of the link. It is refused before memory is allocated for it. @publicApi */
export class OversizedFrameError extends DataflowError {
  constructor(
    /** Name of the peer on the other end, or the address of an unidentified client. */
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
