import { DataflowError } from '../../errors/dataflow.error.js';

/** @publicApi */
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
