import { invalidOptionText } from '@roost/kernel';
import { ShutdownError } from './shutdown.error.js';

/** An option with a value it cannot have, or an option that does not exist. @publicApi */
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
