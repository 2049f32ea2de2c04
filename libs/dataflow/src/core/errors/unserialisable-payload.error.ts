import { formatTag } from '../time/format-tag.js';
import type { Tag } from '../time/tag.js';
import { DataflowError } from './dataflow.error.js';

/** A value is not plain data and cannot be sent over a connection. @publicApi */
export class UnserialisablePayloadError extends DataflowError {
  constructor(
    readonly port: string,
    readonly tag: Tag,
    readonly problem: string,
  ) {
    super(
      'DATAFLOW_UNSERIALISABLE_PAYLOAD',
      `The value for ${port} at ${formatTag(tag)} cannot be sent: ${problem}. Send plain data: numbers, strings, booleans, null, bigints, Uint8Array, and arrays and plain objects of these.`,
    );
  }
}
