import { invalidOptionText } from '@roost/kernel';
import { DrainError } from './drain.error.js';

/** An option, or the environment variable it was read from, has a value that it cannot have. @publicApi */
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
