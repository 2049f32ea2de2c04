import { WorkersError } from './workers.error.js';

/**
 * Work was started while the application was stopping or after it had stopped, so a shutdown would not wait for it.
 *
 * @publicApi
 */
export class WorkersStoppedError extends WorkersError {
  constructor(what: string, state: 'stopping' | 'stopped') {
    super(
      'WORKERS_STOPPED',
      `${what} was refused because the background processes ${state === 'stopped' ? 'have stopped' : 'are stopping'}. ` +
        'Do not start new work after a shutdown has begun.',
    );
  }
}
