import { TestkitError } from './testkit.error.js';

/** A message or signal for a behavior that has stopped. @publicApi */
export class BehaviorStoppedError extends TestkitError {
  constructor(what: string) {
    super(
      'TESTKIT_BEHAVIOR_STOPPED',
      `The behavior has stopped, so it cannot get ${what}; for an actor it would be a dead letter. Look at kit.isAlive ` +
        'first, or make a new kit.',
    );
  }
}
