import { ActorError } from './actor.error.js';

/** `ctx.reply()` was called for a message that has neither an `ask` nor a sender. @publicApi */
export class NoReplyAddressError extends ActorError {
  constructor(readonly path: string) {
    super(
      'ACTORS_NO_REPLY_ADDRESS',
      `${path} called ctx.reply(), but the message has no sender. Use ask(), pass a sender to tell(), or check ` +
        'ctx.sender first.',
    );
  }
}
