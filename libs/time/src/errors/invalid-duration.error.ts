import { inspect } from 'node:util';
import { TimeError } from './time.error.js';

/**
 * A duration, delay or timeout is not usable. `option` names the argument or option it was given for, `value` is what
 * was given.
 *
 * @publicApi
 */
export class InvalidDurationError extends TimeError {
  constructor(
    readonly option: string,
    readonly value: unknown,
    expected: string,
    advice: string,
  ) {
    const shown = inspect(value, { depth: 0, breakLength: Infinity, maxStringLength: 80 });
    super('TIME_INVALID_DURATION', `${option} is ${shown}, but must be ${expected}. ${advice}`);
  }
}
