import { textOf } from '@roost/kernel';
import { ShutdownError } from '../core/index.js';

/** The application was asked to listen after its shutdown had started. @publicApi */
export class ApplicationStoppedError extends ShutdownError {
  readonly reason: string;

  constructor(reason: unknown) {
    const text = textOf(reason);
    super(
      'SHUTDOWN_APPLICATION_STOPPED',
      `The application cannot start listening because its shutdown has started (${text}). Create a new application instead.`,
    );
    this.reason = text;
  }
}
