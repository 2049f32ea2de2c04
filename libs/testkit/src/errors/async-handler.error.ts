import { TestkitError } from './testkit.error.js';

/** Something asynchronous where a `BehaviorTestKit` was told to run synchronously. @publicApi */
export class AsyncHandlerError extends TestkitError {
  constructor(what: string, instead: string) {
    super(
      'TESTKIT_ASYNC_HANDLER',
      `${what} is asynchronous: it has begun, but what it does is not known when this returns. Use \`await ${instead}\`.`,
    );
  }
}
