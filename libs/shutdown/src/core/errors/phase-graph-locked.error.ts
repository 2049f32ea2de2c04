import { ShutdownError } from './shutdown.error.js';

/** `addPhase` was called after the shutdown had started, when the order is fixed. @publicApi */
export class PhaseGraphLockedError extends ShutdownError {
  constructor(readonly phase: string) {
    super(
      'SHUTDOWN_PHASES_LOCKED',
      `Cannot add shutdown phase "${phase}": the shutdown has started, so its phases are fixed. ` +
        'Declare phases at boot.',
    );
  }
}
