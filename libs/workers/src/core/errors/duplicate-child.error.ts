import { WorkersError } from './workers.error.js';

/** Two processes or threads of a launcher have one name. @publicApi */
export class DuplicateChildError extends WorkersError {
  constructor(readonly child: string) {
    super(
      'WORKERS_DUPLICATE_CHILD',
      `launch() is given two processes or threads with the name "${child}". Give each a name of its own; for several of ` +
        'a kind use count.',
    );
  }
}
