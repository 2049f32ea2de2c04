import { inspect } from 'node:util';
import { HealthError } from './health.error.js';

/** An option has a value it cannot have, or does not exist. @publicApi */
export class InvalidHealthOptionError extends HealthError {
  constructor(
    readonly option: string,
    readonly value: unknown,
    expected: string,
  ) {
    const shown = inspect(value, { depth: 0, breakLength: Infinity, maxStringLength: 80 });
    super('HEALTH_INVALID_OPTION', `Health option \`${option}\` is ${shown}: ${expected}`);
  }
}
