import { DrainError } from '../core/index.js';

/** Thrown at boot when the application has no coordinated shutdown to start the drain. @publicApi */
export class DrainShutdownMissingError extends DrainError {
  constructor() {
    super(
      'DRAIN_SHUTDOWN_MISSING',
      'DrainModule requires CoordinatedShutdown. Import CoordinatedShutdownModule.forRoot() from @roost/shutdown in the ' +
        'root module.',
    );
  }
}
