import { messageOf } from '@roost/kernel';
import { formatTag } from '../time/format-tag.js';
import type { Tag } from '../time/tag.js';
import { DataflowError } from './dataflow.error.js';

/** A reaction threw. @publicApi */
export class ReactionFailedError extends DataflowError {
  constructor(
    readonly node: string,
    readonly reaction: string,
    readonly tag: Tag,
    cause: unknown,
    readonly exitCode = 1,
  ) {
    super(
      'DATAFLOW_REACTION_FAILED',
      `${node}.${reaction}() failed at ${formatTag(tag)}: ${messageOf(cause)}. The graph is stopped by force.`,
      { cause },
    );
  }
}
