import { DataflowError } from '../../errors/dataflow.error.js';

/** Why a handshake was refused. @publicApi */
export type RefusalReason = 'version' | 'token' | 'app' | 'name';

const ADVICE: Readonly<Record<RefusalReason, string>> = {
  version: 'it uses another version of the protocol. Run the same version of @roost/dataflow everywhere.',
  token: 'the tokens differ. Give every process of the dataflow the same token.',
  app: 'it belongs to another dataflow. Check the address and the app name.',
  name: 'the process there has another name. Check the address, and make sure that names are unique.',
};

/** Two processes cannot link until one of them is started with other settings. @publicApi */
export class HandshakeRefusedError extends DataflowError {
  constructor(
    /** Name of the peer, or the address of a client that has not proven its identity. */
    readonly peer: string,
    readonly reason: RefusalReason,
  ) {
    super('DATAFLOW_HANDSHAKE_REFUSED', `No link with ${peer}: ${ADVICE[reason]}`);
  }
}
