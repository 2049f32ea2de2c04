import { ShutdownError } from './shutdown.error.js';

/** `addTask` with something that cannot be called. @publicApi */
export class InvalidTaskError extends ShutdownError {
  constructor(
    readonly task: string,
    readonly phase: string,
  ) {
    super(
      'SHUTDOWN_INVALID_TASK',
      `Shutdown task "${task}" in phase "${phase}" is not a function. Pass (reason, ctx) => void | Promise<void>.`,
    );
  }
}
