import { invalidOptionText } from '@roost/kernel';
import { TestkitError } from './testkit.error.js';

/** An option or argument is unknown or has an invalid value. `option` names it. @publicApi */
export class InvalidTestkitOptionError extends TestkitError {
  constructor(
    readonly option: string,
    readonly value: unknown,
    expected: string,
    options?: ErrorOptions,
  ) {
    super('TESTKIT_INVALID_OPTION', invalidOptionText('Testkit', option, value, expected), options);
  }
}
