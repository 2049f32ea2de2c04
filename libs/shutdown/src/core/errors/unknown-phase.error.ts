import { ShutdownError } from './shutdown.error.js';

/** A task, option or call refers to a phase that is not declared. @publicApi */
export class UnknownPhaseError extends ShutdownError {
  constructor(
    readonly phase: string,
    readonly knownPhases: readonly string[],
    readonly declaredBy: string,
  ) {
    super(
      'SHUTDOWN_UNKNOWN_PHASE',
      `${declaredBy} refers to the unknown shutdown phase "${phase}". Known phases: ${knownPhases.join(', ')}. ` +
        'Declare it with the option `phases` or with addPhase(), or use a Phase constant.',
    );
  }
}
