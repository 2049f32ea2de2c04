import { DataflowError } from '../../errors/dataflow.error.js';

/** Bytes that this protocol does not send. @publicApi */
export class MalformedFrameError extends DataflowError {
  constructor(
    /** The name of a peer, or the address of a stranger. */
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
