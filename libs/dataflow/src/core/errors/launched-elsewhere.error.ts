import { DataflowError } from './dataflow.error.js';

/** @publicApi */
export class LaunchedElsewhereError extends DataflowError {
  constructor(readonly process: string) {
    super(
      'DATAFLOW_LAUNCHED_ELSEWHERE',
      `launchDataflow() was called in process "${process}" of another placement. Only the script that is started may call it, ` +
        'once, with the same placement in every process.',
    );
  }
}
