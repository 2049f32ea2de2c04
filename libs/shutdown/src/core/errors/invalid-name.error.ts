import { describeValue } from '@roost/kernel';
import { ShutdownError } from './shutdown.error.js';

/** The name of a phase or task is not a non-empty string. @publicApi */
export class InvalidNameError extends ShutdownError {
  constructor(
    readonly kind: 'phase' | 'task',
    readonly value: unknown,
    readonly declaredBy: string,
  ) {
    super(
      'SHUTDOWN_INVALID_NAME',
      `${declaredBy}: the name of a shutdown ${kind} is ${describeValue(value)}, but must be a non-empty string.`,
    );
  }
}
