import { ShutdownError } from './shutdown.error.js';

/** A phase or a task without a usable name. @publicApi */
export class InvalidNameError extends ShutdownError {
  constructor(
    readonly kind: 'phase' | 'task',
    readonly value: unknown,
  ) {
    super(
      'SHUTDOWN_INVALID_NAME',
      `A shutdown ${kind} needs a non-empty string as its name, not ${JSON.stringify(value) ?? String(value)}.`,
    );
  }
}
