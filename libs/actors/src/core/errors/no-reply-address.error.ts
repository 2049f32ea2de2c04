import { ActorError } from './actor.error.js';

/** `ctx.reply()` to a message that has neither an `ask` nor a sender. @publicApi */
export class NoReplyAddressError extends ActorError {
  constructor(readonly path: string) {
    super(
      'ACTORS_NO_REPLY_ADDRESS',
      `${path} replies to a message that came by tell() without a sender. Use ask(), pass a sender to tell(), or look ` +
        'at ctx.sender first.',
    );
  }
}
