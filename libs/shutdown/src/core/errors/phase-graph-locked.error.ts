import { ShutdownError } from './shutdown.error.js';

/** `addPhase` after the shutdown has begun: the order is fixed from then on. @publicApi */
export class PhaseGraphLockedError extends ShutdownError {
  constructor(readonly phase: string) {
    super(
      'SHUTDOWN_PHASES_LOCKED',
      `Cannot add shutdown phase "${phase}": the shutdown has started, so its phases are fixed. ` +
        'Declare phases at boot.',
    );
  }
}
