import { TestkitError } from './testkit.error.js';

/** A `BehaviorTestKit` was called while it was still running something else. @publicApi */
export class BehaviorBusyError extends TestkitError {
  constructor(what: string) {
    super(
      'TESTKIT_BEHAVIOR_BUSY',
      `The behavior is still busy, so the kit refused this call: ${what}. An actor does one thing at a time: await ` +
        'runAsync() before the next call, and do not call the kit from a handler.',
    );
  }
}
