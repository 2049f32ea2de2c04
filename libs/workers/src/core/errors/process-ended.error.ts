import { WorkersError } from './workers.error.js';

/** Work was started on a run that has ended, so a shutdown would not wait for it. @publicApi */
export class ProcessEndedError extends WorkersError {
  constructor(
    readonly process: string,
    what: string,
  ) {
    super(
      'WORKERS_PROCESS_ENDED',
      `${what} of "${process}" was called after the run had ended, so a shutdown would not wait for it. Call it before ` +
        'the function returns, or use workers.runGracefully().',
    );
  }
}
