import { DataflowError } from './dataflow.error.js';

/** `launchDataflow()` was called in a launched process that its placement does not contain. @publicApi */
export class LaunchedElsewhereError extends DataflowError {
  constructor(readonly process: string) {
    super(
      'DATAFLOW_LAUNCHED_ELSEWHERE',
      `launchDataflow() was called in process "${process}", which its placement does not contain. ` +
        'Call it once, in the script that is started, with the same placement in every process.',
    );
  }
}
