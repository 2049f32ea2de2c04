import { DrainError } from './drain.error.js';

/** The `reason` of a signal that aborted because the drain began. @publicApi */
export class DrainStartedError extends DrainError {
  constructor() {
    super('DRAIN_STARTED', 'The service is shutting down and waits for this request. Finish it soon.');
  }
}
