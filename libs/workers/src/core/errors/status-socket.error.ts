import { WorkersError } from './workers.error.js';

/** The status socket of a launcher cannot be opened or does not answer. @publicApi */
export class StatusSocketError extends WorkersError {
  constructor(
    readonly path: string,
    problem: string,
    options?: ErrorOptions,
  ) {
    super('WORKERS_STATUS_SOCKET', `The status socket ${path} ${problem}`, options);
  }
}
