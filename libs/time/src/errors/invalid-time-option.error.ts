import { invalidOptionText } from '@roost/kernel';
import { TimeError } from './time.error.js';

/** An option that does not exist. `option` names it. @publicApi */
export class InvalidTimeOptionError extends TimeError {
  constructor(
    readonly option: string,
    readonly value: unknown,
    expected: string,
    options?: ErrorOptions,
  ) {
    super('TIME_INVALID_OPTION', invalidOptionText('Time', option, value, expected), options);
  }
}
