import { DataflowError } from '../../errors/dataflow.error.js';

/** A client connected but did not identify itself in time. @publicApi */
export class HandshakeTimeoutError extends DataflowError {
  constructor(
    readonly peer: string,
    readonly afterMs: number,
  ) {
    super(
      'DATAFLOW_HANDSHAKE_TIMEOUT',
      `${peer} connected but did not finish the handshake within ${afterMs} ms, so the connection was dropped. ` +
        'It is paused or overloaded, or it is not a process of this dataflow.',
    );
  }
}
