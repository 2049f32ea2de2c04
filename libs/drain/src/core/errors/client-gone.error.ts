import { DrainError } from './drain.error.js';

/** The `reason` of a request's signal when the client closed the connection. @publicApi */
export class ClientGoneError extends DrainError {
  constructor() {
    super('DRAIN_CLIENT_GONE', 'The connection was closed before the response was complete.');
  }
}
