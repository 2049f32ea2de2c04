import { invalidOptionText } from '@roost/kernel';
import { DataflowError } from './dataflow.error.js';

/** An option that does not exist, or that could not work. `expected` says what to write instead. @publicApi */
export class InvalidDataflowOptionError extends DataflowError {
  constructor(
    readonly option: string,
    readonly given: unknown,
    readonly expected: string,
    options?: ErrorOptions,
  ) {
    super('DATAFLOW_INVALID_OPTION', invalidOptionText('Dataflow', option, given, expected), options);
  }
}
