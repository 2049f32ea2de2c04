import { ShutdownError } from '../core/index.js';

/** `enableCoordinatedShutdown(app)` was called for an application that does not import the module. @publicApi */
export class ShutdownModuleMissingError extends ShutdownError {
  constructor() {
    super(
      'SHUTDOWN_MODULE_MISSING',
      'enableCoordinatedShutdown(app) found no CoordinatedShutdown in the application. ' +
        'Add CoordinatedShutdownModule.forRoot() to the imports of the root module.',
    );
  }
}
