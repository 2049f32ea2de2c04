import { DrainError } from './drain.error.js';

/** The `reason` of a signal that aborted because the drain began. @publicApi */
export class DrainStartedError extends DrainError {
  constructor() {
    super('DRAIN_STARTED', 'The service takes no new requests and waits for this one: finish it soon.');
  }
}
