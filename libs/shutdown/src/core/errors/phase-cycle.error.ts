import { ShutdownError } from './shutdown.error.js';

/** `dependsOn` and `before` contradict each other. `path` begins and ends with the same phase. @publicApi */
export class PhaseCycleError extends ShutdownError {
  constructor(readonly path: readonly string[]) {
    super(
      'SHUTDOWN_PHASE_CYCLE',
      `Shutdown phases form a cycle: ${path.join(' → ')} (each must run before the next). ` +
        'Remove one `dependsOn` or `before` on this path.',
    );
  }
}
