import { TestkitError } from './testkit.error.js';

/** A synchronous call of a `BehaviorTestKit` met an asynchronous handler or setup. @publicApi */
export class AsyncHandlerError extends TestkitError {
  constructor(what: string, instead: string) {
    super(
      'TESTKIT_ASYNC_HANDLER',
      `${what} is asynchronous: it has started, but is not finished when this call returns. Use \`await ${instead}\`.`,
    );
  }
}
