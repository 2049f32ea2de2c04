import { WorkersError } from './workers.error.js';

/** Work was handed over when the application was stopping, or had stopped, and nobody would wait for it. @publicApi */
export class WorkersStoppedError extends WorkersError {
  constructor(what: string, state: 'stopping' | 'closed') {
    super(
      'WORKERS_STOPPED',
      `${what} comes too late: the background processes ${state === 'closed' ? 'have stopped' : 'are stopping'}. Begin ` +
        'nothing new once a shutdown has begun.',
    );
  }
}
