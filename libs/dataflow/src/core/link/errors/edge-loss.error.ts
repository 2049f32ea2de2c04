import { DataflowError } from '../../errors/dataflow.error.js';

/**
 * A frame is gone for good: the receiver misses it and the sender no longer has it. Nothing can mend that, since to go
 * on would be to lose it silently.
 *
 * @publicApi
 */
export class EdgeLossError extends DataflowError {
  constructor(
    readonly peer: string,
    /** The number of the frame that is missing. */
    readonly expected: number,
    /** The oldest one that there still is. */
    readonly seen: number,
  ) {
    super(
      'DATAFLOW_EDGE_LOSS',
      `Frames ${expected} to ${seen - 1} of the link with "${peer}" are lost: the sender no longer has frames before ${seen}. ` +
        'Stop the dataflow and start it again. Check that no two processes have the same name.',
    );
  }
}
