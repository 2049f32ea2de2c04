import { ShutdownError } from './shutdown.error.js';

/** Two tasks of a phase have the same name. @publicApi */
export class DuplicateTaskError extends ShutdownError {
  constructor(
    readonly task: string,
    readonly phase: string,
    readonly declaredBy: string,
    readonly alreadyDeclaredBy: string,
  ) {
    super(
      'SHUTDOWN_DUPLICATE_TASK',
      `${declaredBy} declares shutdown task "${task}" in phase "${phase}", but ${alreadyDeclaredBy} already ` +
        'declares it. Give one of them another name.',
    );
  }
}
