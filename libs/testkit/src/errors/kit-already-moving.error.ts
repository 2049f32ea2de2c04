import { TestkitError } from './testkit.error.js';

/** Something that moves the clock of a kit began before the last such thing had ended. @publicApi */
export class KitAlreadyMovingError extends TestkitError {
  constructor(what: string, running: string) {
    super(
      'TESTKIT_ALREADY_MOVING',
      `${what} was called while ${running} is moving the same clock. Await one before the next: an \`await\` ` +
        'is probably missing.',
    );
  }
}
