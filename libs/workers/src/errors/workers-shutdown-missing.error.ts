import { WorkersError } from '../core/index.js';

/** `WorkersModule` in an application that has no coordinated shutdown to wait for its processes. @publicApi */
export class WorkersShutdownMissingError extends WorkersError {
  constructor() {
    super(
      'WORKERS_SHUTDOWN_MISSING',
      'WorkersModule finds no CoordinatedShutdown. Add CoordinatedShutdownModule.forRoot() of @roost/shutdown to the ' +
        'imports of the root module.',
    );
  }
}
