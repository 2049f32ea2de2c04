import { ShutdownError } from './shutdown.error.js';

/** A timeout that no timer can keep: not a number, zero, negative, infinite, or above 2^31-1 ms. @publicApi */
export class InvalidTimeoutError extends ShutdownError {
  constructor(
    readonly option: string,
    readonly value: unknown,
    cause: Error,
  ) {
    super('SHUTDOWN_INVALID_TIMEOUT', cause.message, { cause });
  }
}
