import { WorkersError } from './workers.error.js';

/** A child of a launcher called `launch()`. @publicApi */
export class NestedLaunchError extends WorkersError {
  constructor(readonly child: string) {
    super(
      'WORKERS_NESTED_LAUNCH',
      `launch() was called in "${child}", which is a child of a launcher but not one of the processes passed to this ` +
        'call. Call launch() only in the script that you start, and let app and file point to other programs.',
    );
  }
}
