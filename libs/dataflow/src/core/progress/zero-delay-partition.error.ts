import { DataflowError } from '../errors/dataflow.error.js';

/** Partitions form a cycle without delay, so each would wait for the others before a tag. @publicApi */
export class ZeroDelayPartitionError extends DataflowError {
  /** @param path indices of the partitions, with the first one repeated at the end */
  constructor(readonly path: readonly number[]) {
    super(
      'DATAFLOW_ZERO_DELAY_PARTITION',
      `The partitions ${path.join(' → ')} form a cycle without delay, so at every tag each would wait for the others. Put ` +
        'the nodes of the cycle into one partition, or give one of its connections a delay.',
    );
  }
}
