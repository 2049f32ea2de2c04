import { invalidOptionText } from '@roost/kernel';
import { DataflowError } from './dataflow.error.js';

/** An option does not exist or has an invalid value. `expected` describes the valid values. @publicApi */
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
