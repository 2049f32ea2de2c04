import { WorkersError } from '../core/index.js';

/** `WorkersModule` in an application that has no coordinated shutdown to wait for its processes. @publicApi */
export class WorkersShutdownMissingError extends WorkersError {
  constructor() {
    super(
      'WORKERS_SHUTDOWN_MISSING',
      'WorkersModule requires CoordinatedShutdown. Import CoordinatedShutdownModule.forRoot() from @roost/shutdown in ' +
        'the root module.',
    );
  }
}
