import { DrainError } from '../core/index.js';

/** `DrainModule` in an application that has no coordinated shutdown to tell it when to drain. @publicApi */
export class DrainShutdownMissingError extends DrainError {
  constructor() {
    super(
      'DRAIN_SHUTDOWN_MISSING',
      'DrainModule finds no CoordinatedShutdown. Add CoordinatedShutdownModule.forRoot() of @roost/shutdown to the ' +
        'imports of the root module.',
    );
  }
}
