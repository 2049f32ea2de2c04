import { DataflowError } from './dataflow.error.js';

/** A caller outside of the graph has stopped it by force. @publicApi */
export class StopForcedError extends DataflowError {
  constructor(
    readonly reason: string,
    readonly exitCode: number,
  ) {
    super('DATAFLOW_STOP_FORCED', `The graph was stopped by force: ${reason}.`);
  }
}
