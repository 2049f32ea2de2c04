import { WorkersError } from './workers.error.js';

/** Two background processes have the same name. @publicApi */
export class DuplicateProcessError extends WorkersError {
  constructor(
    readonly process: string,
    readonly declaredBy: readonly [first: string, second: string],
  ) {
    const [first, second] = declaredBy;
    super(
      'WORKERS_DUPLICATE_PROCESS',
      first === second
        ? `${first} declares the background process "${process}" more than once, because every instance is one. Provide the ` +
            'class once, in the default scope, and import the module that exports it.'
        : `The background process "${process}" is declared by ${first} and by ${second}. Give one of them another name.`,
    );
  }
}
