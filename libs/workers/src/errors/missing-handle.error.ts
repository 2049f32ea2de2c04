import { WorkersError } from '../core/index.js';

/** Thrown at boot when a class with `@BackgroundProcess()` has no `handle` method. @publicApi */
export class MissingHandleError extends WorkersError {
  constructor(readonly className: string) {
    super(
      'WORKERS_MISSING_HANDLE',
      `${className} has @BackgroundProcess(), but no handle(run) method. Add ` +
        '`async handle(run) { while (run.isRunning()) await this.doOneStep(); }`.',
    );
  }
}
