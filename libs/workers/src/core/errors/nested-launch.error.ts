import { WorkersError } from './workers.error.js';

/** @publicApi */
export class NestedLaunchError extends WorkersError {
  constructor(readonly child: string) {
    super(
      'WORKERS_NESTED_LAUNCH',
      `launch() was called in "${child}", which is itself a child of a launcher and is not one of the processes given to ` +
        'this call. Only the script that is started may call launch(): let app and file name other programs.',
    );
  }
}
