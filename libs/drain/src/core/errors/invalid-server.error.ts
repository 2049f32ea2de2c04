import { describeValue } from '@roost/kernel';
import { DrainError } from './drain.error.js';

/** `attach()` was called with a value that is not a server. @publicApi */
export class InvalidServerError extends DrainError {
  constructor(value: unknown) {
    super(
      'DRAIN_INVALID_SERVER',
      `attach() expects a server from node:http, node:https or node:http2, but got ${describeValue(value)}. ` +
        'Pass the return value of createServer().',
    );
  }
}
