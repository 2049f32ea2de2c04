import { invalidOptionText } from '@roost/kernel';
import { HealthError } from './health.error.js';

/** An option has an invalid value or does not exist. @publicApi */
export class InvalidHealthOptionError extends HealthError {
  constructor(
    readonly option: string,
    readonly value: unknown,
    expected: string,
    options?: ErrorOptions,
  ) {
    super('HEALTH_INVALID_OPTION', invalidOptionText('Health', option, value, expected), options);
  }
}
