import { TestkitError } from './testkit.error.js';

/** A `BehaviorTestKit` got a message or signal after its behavior had stopped. @publicApi */
export class BehaviorStoppedError extends TestkitError {
  constructor(what: string) {
    super(
      'TESTKIT_BEHAVIOR_STOPPED',
      `The behavior has stopped, so it cannot handle ${what}. In an actor this would be a dead letter. Check ` +
        'kit.isAlive first, or create a new kit.',
    );
  }
}
