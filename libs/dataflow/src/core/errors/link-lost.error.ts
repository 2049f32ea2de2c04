import { formatDuration } from '@roost/time';
import { DataflowError } from './dataflow.error.js';

/** Two processes that both reach the coordinator cannot reach each other. @publicApi */
export class LinkLostError extends DataflowError {
  constructor(
    readonly process: string,
    readonly peer: string,
    readonly forMs: number,
  ) {
    super(
      'DATAFLOW_LINK_LOST',
      `Process "${process}" has not reached "${peer}" for ${formatDuration(forMs)}, so they cannot exchange messages. Check the network between them.`,
    );
  }
}
