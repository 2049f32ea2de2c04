import { ShutdownError } from './shutdown.error.js';

/** Two options contradict each other. @publicApi */
export class ContradictoryOptionsError extends ShutdownError {
  constructor(
    readonly options: readonly string[],
    explanation: string,
  ) {
    super(
      'SHUTDOWN_CONTRADICTORY_OPTIONS',
      `Shutdown options ${options.join(' and ')} contradict each other: ${explanation}`,
    );
  }
}
