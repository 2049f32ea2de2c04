import { inspect } from 'node:util';
import { WorkersError } from './workers.error.js';

/** An option that could not work. `expected` says what to write instead. @publicApi */
export class InvalidWorkerOptionError extends WorkersError {
  constructor(
    readonly option: string,
    readonly given: unknown,
    readonly expected: string,
    options?: ErrorOptions,
  ) {
    const shown = inspect(given, { depth: 0, breakLength: Infinity }).slice(0, 200);
    super('WORKERS_INVALID_OPTION', `${option} is ${shown}, but must be ${expected}.`, options);
  }
}
