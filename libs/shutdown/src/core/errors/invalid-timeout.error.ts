import { invalidOptionText } from '@roost/kernel';
import { ShutdownError } from './shutdown.error.js';

/** A timeout is not a number, or is zero, negative, infinite, or above 2^31-1 ms. @publicApi */
export class InvalidTimeoutError extends ShutdownError {
  constructor(
    readonly option: string,
    readonly value: unknown,
    expected: string,
  ) {
    super(
      'SHUTDOWN_INVALID_TIMEOUT',
      `${invalidOptionText('Shutdown', option, value, expected)} Write a number such as 5000 or seconds(5).`,
    );
  }
}
