import { DataflowError } from '../../errors/dataflow.error.js';

/** The received bytes are not a frame of this protocol. @publicApi */
export class MalformedFrameError extends DataflowError {
  constructor(
    /** Name of the peer, or the address of an unidentified client. */
    readonly sender: string,
    readonly problem: string,
  ) {
    super(
      'DATAFLOW_MALFORMED_FRAME',
      `${sender} sent a malformed frame: ${problem}. ` +
        'Check that it is a process of this dataflow, with the same version of @roost/dataflow.',
    );
  }
}
