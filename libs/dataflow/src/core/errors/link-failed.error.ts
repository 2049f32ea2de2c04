import { messageOf } from '@roost/kernel';
import { DataflowError } from './dataflow.error.js';

/** The links of a process could not be opened. @publicApi */
export class LinkFailedError extends DataflowError {
  constructor(
    readonly process: string,
    cause: unknown,
  ) {
    super('DATAFLOW_LINK_FAILED', `Process "${process}" could not open its links: ${messageOf(cause)}`, { cause });
  }
}
