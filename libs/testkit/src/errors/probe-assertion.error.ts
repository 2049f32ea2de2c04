import { TestkitError } from './testkit.error.js';

/** An expectation of a test was not met. The message tells what happened instead. @publicApi */
export class ProbeAssertionError extends TestkitError {
  constructor(
    message: string,
    /** The expected message or class. Test runners show its difference from `actual`. */
    readonly expected?: unknown,
    readonly actual?: unknown,
  ) {
    super('TESTKIT_EXPECTATION_FAILED', message);
  }
}
