import { ShutdownError } from '../core/index.js';

/** The application imports the module with two configurations, so each task would run twice. @publicApi */
export class DuplicateModuleError extends ShutdownError {
  constructor() {
    super(
      'SHUTDOWN_DUPLICATE_MODULE',
      'CoordinatedShutdownModule is imported more than once, and each import creates its own shutdown. ' +
        'Import CoordinatedShutdownModule.forRoot() in the root module only; CoordinatedShutdown can then be injected everywhere.',
    );
  }
}
