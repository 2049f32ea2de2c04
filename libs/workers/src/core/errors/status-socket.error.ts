import { WorkersError } from './workers.error.js';

/** @publicApi */
export class StatusSocketError extends WorkersError {
  constructor(
    readonly path: string,
    problem: string,
    options?: ErrorOptions,
  ) {
    super('WORKERS_STATUS_SOCKET', `The status socket ${path} ${problem}`, options);
  }
}
