import { TestkitError } from './testkit.error.js';

/** `settle()` timed out: the actors never ran out of messages. @publicApi */
export class NotSettledError extends TestkitError {
  constructor(
    readonly timeoutMs: number,
    busy: string,
  ) {
    super(
      'TESTKIT_NOT_SETTLED',
      `The actors still have messages to handle after ${timeoutMs} ms of real time: ${busy}. Look for actors that keep ` +
        'sending messages to each other or to themselves; if they just have a lot to do, raise settleTimeoutMs of the kit.',
    );
  }
}
