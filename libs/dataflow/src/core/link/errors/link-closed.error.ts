import { DataflowError } from '../../errors/dataflow.error.js';

/** A link was used after it was closed. @publicApi */
export class LinkClosedError extends DataflowError {
  constructor(readonly process: string) {
    super('DATAFLOW_LINK_CLOSED', `The links of "${process}" are closed. Open new ones to connect to a peer.`);
  }
}
