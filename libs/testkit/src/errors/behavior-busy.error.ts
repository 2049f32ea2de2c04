import { TestkitError } from './testkit.error.js';

/** A `BehaviorTestKit` was told to run something while it was running something else. @publicApi */
export class BehaviorBusyError extends TestkitError {
  constructor(what: string) {
    super(
      'TESTKIT_BEHAVIOR_BUSY',
      `The behavior is handling something already, and an actor does one thing at a time, so it cannot get ${what} now. ` +
        'Await runAsync() before the next call, and do not call the kit from a handler.',
    );
  }
}
