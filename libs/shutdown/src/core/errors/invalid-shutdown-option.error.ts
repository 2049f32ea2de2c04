import { invalidOptionText } from '@roost/kernel';
import { ShutdownError } from './shutdown.error.js';

/** An option has an invalid value or does not exist. @publicApi */
export class InvalidShutdownOptionError extends ShutdownError {
  constructor(
    readonly option: string,
    readonly value: unknown,
    expected: string,
    options?: ErrorOptions,
  ) {
    super('SHUTDOWN_INVALID_OPTION', invalidOptionText('Shutdown', option, value, expected), options);
  }
}
