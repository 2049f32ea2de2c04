import { ShutdownError } from './shutdown.error.js';

/** A task was added to, or a timeout set on, a phase that has already started. The task does not run. @publicApi */
export class LatePhaseError extends ShutdownError {
  constructor(
    readonly phase: string,
    readonly subject: string,
    readonly progress: string,
  ) {
    super(
      'SHUTDOWN_LATE_PHASE',
      `${subject} is too late for shutdown phase "${phase}": ${progress}. ` +
        'Add it before the shutdown starts, or to a later phase.',
    );
  }
}
