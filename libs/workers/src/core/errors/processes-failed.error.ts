import { messageOf } from '@roost/kernel';
import { WorkersError } from './workers.error.js';

/** Processes threw after the stop request. They are not restarted, so their last step may be lost. @publicApi */
export class ProcessesFailedError extends WorkersError {
  constructor(readonly failures: readonly { readonly process: string; readonly error: unknown }[]) {
    const list = failures.map(({ process, error }) => `"${process}" (${messageOf(error)})`).join(', ');
    super(
      'WORKERS_FAILED_WHILE_STOPPING',
      `Failed while stopping, so the last step may be lost: ${list}. The log has the stack traces.`,
      { cause: failures[0]?.error },
    );
  }
}
