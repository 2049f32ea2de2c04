import { describeValue } from '@roost/kernel';
import { TimeError } from './time.error.js';

/**
 * A duration, delay or timeout is invalid. `option` names the argument or option, and `value` is the given value.
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
    super('TIME_INVALID_DURATION', `${option} is ${describeValue(value)}, but must be ${expected}. ${advice}`);
  }
}
