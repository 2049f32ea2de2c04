import { TestkitError } from './testkit.error.js';

/** A call that moves the clock of a kit started before the previous one had finished. @publicApi */
export class KitAlreadyMovingError extends TestkitError {
  constructor(what: string, running: string) {
    super(
      'TESTKIT_ALREADY_MOVING',
      `${what} was called while ${running} was still moving the same clock. Await each call before the ` +
        'next one: an `await` is probably missing.',
    );
  }
}
