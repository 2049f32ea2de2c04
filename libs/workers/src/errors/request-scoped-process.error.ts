import { WorkersError } from '../core/index.js';

/**
 * Thrown at boot when a background process or one of its dependencies is request-scoped. Processes outlive requests.
 *
 * @publicApi
 */
export class RequestScopedProcessError extends WorkersError {
  constructor(readonly className: string) {
    super(
      'WORKERS_REQUEST_SCOPED',
      `${className} has @BackgroundProcess(), but it or one of its dependencies is request-scoped, and a background ` +
        'process does not belong to a request. Use the default scope, or call ModuleRef.resolve() in handle().',
    );
  }
}
