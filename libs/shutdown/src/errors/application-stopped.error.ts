import { ShutdownError } from '../core/index.js';

/** The application was told to listen after its shutdown had begun. @publicApi */
export class ApplicationStoppedError extends ShutdownError {
  constructor(readonly reason: string) {
    super(
      'SHUTDOWN_APPLICATION_STOPPED',
      `The application does not start listening: its shutdown has begun (${reason}). Create a new application instead.`,
    );
  }
}
