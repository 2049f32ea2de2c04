import { WorkersError } from '../core/index.js';

/** At boot: a background process is request-scoped, itself or by what it depends on; processes outlive requests. @publicApi */
export class RequestScopedProcessError extends WorkersError {
  constructor(readonly className: string) {
    super(
      'WORKERS_REQUEST_SCOPED',
      `${className} has @BackgroundProcess(), but it, or what it depends on, is request-scoped, and a background process ` +
        'belongs to no request. Use default scope, or take what is request-scoped from ModuleRef.resolve() in handle().',
    );
  }
}
