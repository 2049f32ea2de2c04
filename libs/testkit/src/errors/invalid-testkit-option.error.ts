import { invalidOptionText } from '@roost/kernel';
import { TestkitError } from './testkit.error.js';

/** An option or argument with a value it cannot have. `option` names it. @publicApi */
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
