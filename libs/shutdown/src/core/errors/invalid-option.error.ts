import { describeValue } from './describe-value.js';
import { ShutdownError } from './shutdown.error.js';

/** An option with a value it cannot have, or an option that does not exist. @publicApi */
export class InvalidOptionError extends ShutdownError {
  constructor(
    readonly option: string,
    readonly value: unknown,
    expected: string,
  ) {
    super('SHUTDOWN_INVALID_OPTION', `Shutdown option \`${option}\` is ${describeValue(value)}: ${expected}`);
  }
}
