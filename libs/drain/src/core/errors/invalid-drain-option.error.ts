import { inspect } from 'node:util';
import { DrainError } from './drain.error.js';

/** An option, or the env variable it was read from, has a value it cannot have. @publicApi */
export class InvalidDrainOptionError extends DrainError {
  constructor(
    readonly option: string,
    readonly value: unknown,
    expected: string,
    options?: ErrorOptions,
  ) {
    const shown = inspect(value, { depth: 0, breakLength: Infinity, maxStringLength: 80 });
    super('DRAIN_INVALID_OPTION', `Drain option \`${option}\` is ${shown}: ${expected}`, options);
  }
}
