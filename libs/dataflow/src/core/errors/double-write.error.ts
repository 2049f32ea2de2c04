import { formatTag } from '../time/format-tag.js';
import type { Tag } from '../time/tag.js';
import { DataflowError } from './dataflow.error.js';

/** An output was written twice at one tag. @publicApi */
export class DoubleWriteError extends DataflowError {
  constructor(
    readonly node: string,
    readonly port: string,
    readonly tag: Tag,
  ) {
    super(
      'DATAFLOW_DOUBLE_WRITE',
      `${node}.${port} was written a second time at ${formatTag(tag)}. A port carries one value per tag: send a list, or schedule the second for the next microstep.`,
    );
  }
}
