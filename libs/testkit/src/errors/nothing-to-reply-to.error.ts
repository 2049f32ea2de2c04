import { TestkitError } from './testkit.error.js';

/**
 * `reply()` or `forward()` of a probe was called without a message, or `reply()` for one without a sender. @publicApi
 */
export class NothingToReplyToError extends TestkitError {
  constructor(
    readonly probe: string,
    why: string,
  ) {
    super('TESTKIT_NOTHING_TO_REPLY_TO', `The probe ${probe} cannot reply or forward: ${why}`);
  }
}
