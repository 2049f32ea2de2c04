import { formatTag } from '../time/format-tag.js';
import type { Tag } from '../time/tag.js';
import { DataflowError } from './dataflow.error.js';

/** A message arrived after its tag had been handled. @publicApi */
export class TardyInputError extends DataflowError {
  constructor(
    readonly edge: string,
    readonly tag: Tag,
    readonly current: Tag,
  ) {
    super(
      'DATAFLOW_TARDY_INPUT',
      `A message for ${formatTag(tag)} arrived over ${edge} when the receiver was already at ${formatTag(current)}. Messages are never reordered silently. To handle late messages, declare @Input({ onLate: 'method' }).`,
    );
  }
}
