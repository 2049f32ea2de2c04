import { inspect } from 'node:util';
import { TestkitError } from './testkit.error.js';

/** An option or argument with a value it cannot have. `option` names it. @publicApi */
export class InvalidTestkitOptionError extends TestkitError {
  constructor(
    readonly option: string,
    readonly value: unknown,
    expected: string,
  ) {
    super('TESTKIT_INVALID_OPTION', `\`${option}\` is ${inspect(value, { depth: 0 })}, but must be ${expected}.`);
  }
}
