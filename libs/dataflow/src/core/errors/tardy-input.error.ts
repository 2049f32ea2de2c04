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
      `A message for ${formatTag(tag)} came over ${edge} when the receiver was at ${formatTag(current)}. Nothing is reordered silently: declare @Input({ onLate: 'method' }) to take such messages.`,
    );
  }
}
