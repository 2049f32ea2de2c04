import { WorkersError } from './workers.error.js';

/** Two processes or threads of a launcher have the same name. @publicApi */
export class DuplicateChildError extends WorkersError {
  constructor(readonly child: string) {
    super(
      'WORKERS_DUPLICATE_CHILD',
      `launch() got two processes or threads with the name "${child}". Give each a unique name. To run several children ` +
        'of one kind, use count.',
    );
  }
}
