import { TestkitError } from './testkit.error.js';

/** Something asynchronous where a `BehaviorTestKit` was told to run synchronously. @publicApi */
export class AsyncHandlerError extends TestkitError {
  constructor(what: string, instead: string) {
    super(
      'TESTKIT_ASYNC_HANDLER',
      `${what} is asynchronous: it has started, but is not finished when this call returns. Use \`await ${instead}\`.`,
    );
  }
}
