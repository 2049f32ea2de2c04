import { ShutdownError } from './shutdown.error.js';

/** `addTask` with something that cannot be called, or a target that cannot be told to stop. @publicApi */
export class InvalidTaskError extends ShutdownError {
  constructor(
    readonly task: string,
    readonly phase: string,
    problem: string,
  ) {
    super('SHUTDOWN_INVALID_TASK', `Shutdown task "${task}" in phase "${phase}" cannot be run: ${problem}.`);
  }
}
