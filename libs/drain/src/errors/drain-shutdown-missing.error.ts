import { DrainError } from '../core/index.js';

/** `DrainModule` in an application that has no coordinated shutdown to tell it when to drain. @publicApi */
export class DrainShutdownMissingError extends DrainError {
  constructor() {
    super(
      'DRAIN_SHUTDOWN_MISSING',
      'DrainModule requires CoordinatedShutdown. Import CoordinatedShutdownModule.forRoot() from @roost/shutdown in the ' +
        'root module.',
    );
  }
}
