import { ShutdownError } from './shutdown.error.js';

/** `addPhase` after the shutdown has begun: the order is fixed from then on. @publicApi */
export class PhaseGraphLockedError extends ShutdownError {
  constructor(readonly phase: string) {
    super(
      'SHUTDOWN_PHASES_LOCKED',
      `The shutdown phase "${phase}" cannot be added: the shutdown has begun and its phases are fixed. ` +
        'Declare phases at boot.',
    );
  }
}
