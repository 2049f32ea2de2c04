import { ShutdownError } from './shutdown.error.js';

/** A task is not a function, or a termination target has no method to stop it. @publicApi */
export class InvalidTaskError extends ShutdownError {
  constructor(
    readonly task: string,
    readonly phase: string,
    problem: string,
  ) {
    super('SHUTDOWN_INVALID_TASK', `Shutdown task "${task}" in phase "${phase}" cannot be run: ${problem}.`);
  }
}
