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
      `${node}.${port} was written twice at ${formatTag(tag)}. An output carries one value per tag. Send a list, or schedule the second value for the next microstep.`,
    );
  }
}
