import { ShutdownError } from './shutdown.error.js';

/** `addPhase` was called with a name that is already in use. @publicApi */
export class DuplicatePhaseError extends ShutdownError {
  constructor(readonly phase: string) {
    super(
      'SHUTDOWN_DUPLICATE_PHASE',
      `The shutdown phase "${phase}" is already declared. ` +
        'Choose another name; to change an existing phase use the option `phases` or setPhaseTimeout().',
    );
  }
}
