import type { ProcessExit } from '../launcher/process-group.js';
import { DataflowError } from './dataflow.error.js';

/** The run ended, but some of the launched processes did not exit cleanly. @publicApi */
export class LaunchedProcessesFailedError extends DataflowError {
  constructor(readonly exits: readonly ProcessExit[]) {
    const list = exits.map(({ process, code, signal }) => `"${process}" with ${signal ?? `code ${code}`}`).join(', ');
    super(
      'DATAFLOW_PROCESSES_FAILED',
      `The run ended, but some processes did not exit cleanly: ${list}. Check their logs.`,
    );
  }
}
