import { DataflowError } from '../../errors/dataflow.error.js';

/**
 * A frame is lost for good: the receiver needs it, but the sender no longer has it. The link cannot recover, because
 * continuing would lose the frame silently.
 *
 * @publicApi
 */
export class EdgeLossError extends DataflowError {
  constructor(
    readonly peer: string,
    /** Number of the missing frame. */
    readonly expected: number,
    /** Number of the oldest frame that the sender still has. */
    readonly seen: number,
  ) {
    super(
      'DATAFLOW_EDGE_LOSS',
      `Frames ${expected} to ${seen - 1} of the link with "${peer}" are lost: the sender no longer has frames before ${seen}. ` +
        'Stop the dataflow and start it again. Check that no two processes have the same name.',
    );
  }
}
