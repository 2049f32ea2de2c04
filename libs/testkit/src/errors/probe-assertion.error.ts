import { TestkitError } from './testkit.error.js';

/** What came, or did not come, is not what the test expects. The message says what came instead. @publicApi */
export class ProbeAssertionError extends TestkitError {
  constructor(
    message: string,
    /** What the test expects: a message, a class, or words for it. Test runners show the difference to `actual`. */
    readonly expected?: unknown,
    readonly actual?: unknown,
  ) {
    super('TESTKIT_EXPECTATION_FAILED', message);
  }
}
