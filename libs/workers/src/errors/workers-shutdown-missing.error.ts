import { WorkersError } from '../core/index.js';

/** Thrown at boot when the application has no coordinated shutdown that waits for its processes. @publicApi */
export class WorkersShutdownMissingError extends WorkersError {
  constructor() {
    super(
      'WORKERS_SHUTDOWN_MISSING',
      'WorkersModule requires CoordinatedShutdown. Import CoordinatedShutdownModule.forRoot() from @roost/shutdown in ' +
        'the root module.',
    );
  }
}
