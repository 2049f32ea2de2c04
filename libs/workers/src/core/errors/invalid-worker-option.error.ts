import { invalidOptionText } from '@roost/kernel';
import { WorkersError } from './workers.error.js';

/** An option has an invalid value. `expected` describes a valid one. @publicApi */
export class InvalidWorkerOptionError extends WorkersError {
  constructor(
    readonly option: string,
    readonly value: unknown,
    readonly expected: string,
    options?: ErrorOptions,
  ) {
    super('WORKERS_INVALID_OPTION', invalidOptionText('Worker', option, value, expected), options);
  }
}
