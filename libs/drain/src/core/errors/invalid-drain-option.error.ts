import { invalidOptionText } from '@roost/kernel';
import { DrainError } from './drain.error.js';

/** An option or its environment variable has an invalid value. @publicApi */
export class InvalidDrainOptionError extends DrainError {
  constructor(
    readonly option: string,
    readonly value: unknown,
    expected: string,
    options?: ErrorOptions,
  ) {
    super('DRAIN_INVALID_OPTION', invalidOptionText('Drain', option, value, expected), options);
  }
}
