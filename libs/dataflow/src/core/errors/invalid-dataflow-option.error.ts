import { inspect } from 'node:util';
import { DataflowError } from './dataflow.error.js';

/** An option that could not work. `expected` says what to write instead. @publicApi */
export class InvalidDataflowOptionError extends DataflowError {
  constructor(
    readonly option: string,
    readonly given: unknown,
    readonly expected: string,
  ) {
    const shown = inspect(given, { depth: 0, breakLength: Infinity }).slice(0, 200);
    super('DATAFLOW_INVALID_OPTION', `${option} is ${shown}, but must be ${expected}.`);
  }
}
