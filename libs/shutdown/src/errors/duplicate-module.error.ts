import { ShutdownError } from '../core/index.js';

/** The application imports the module in two configurations, so each task would run twice. @publicApi */
export class DuplicateModuleError extends ShutdownError {
  constructor() {
    super(
      'SHUTDOWN_DUPLICATE_MODULE',
      'CoordinatedShutdownModule is imported more than once, each time with a shutdown of its own. ' +
        'Import CoordinatedShutdownModule.forRoot() in the root module only: CoordinatedShutdown can be injected everywhere.',
    );
  }
}
