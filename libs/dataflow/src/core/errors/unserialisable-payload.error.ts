import { formatTag } from '../time/format-tag.js';
import type { Tag } from '../time/tag.js';
import { DataflowError } from './dataflow.error.js';

/** A value cannot travel over a connection. @publicApi */
export class UnserialisablePayloadError extends DataflowError {
  constructor(
    readonly port: string,
    readonly tag: Tag,
    readonly problem: string,
  ) {
    super(
      'DATAFLOW_UNSERIALISABLE_PAYLOAD',
      `What ${port} was given at ${formatTag(tag)} cannot travel: ${problem}. Send plain data: numbers, strings, booleans, null, bigints, Uint8Array, and lists and plain objects of them.`,
    );
  }
}
