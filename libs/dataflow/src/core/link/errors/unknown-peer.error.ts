import { DataflowError } from '../../errors/dataflow.error.js';

/** There is no link with the named peer. @publicApi */
export class UnknownPeerError extends DataflowError {
  constructor(
    readonly peer: string,
    known: readonly string[],
  ) {
    super(
      'DATAFLOW_UNKNOWN_PEER',
      `There is no link with "${peer}". Linked peers: ${known.join(', ') || 'none'}. Call connect() first.`,
    );
  }
}
