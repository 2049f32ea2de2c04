import { WorkersError } from './workers.error.js';

/** `launch()` was called without an app, processes or threads. @publicApi */
export class NothingToLaunchError extends WorkersError {
  constructor() {
    super(
      'WORKERS_NOTHING_TO_LAUNCH',
      'launch() has nothing to start. Set app (the file of an HTTP application), processes or threads.',
    );
  }
}
