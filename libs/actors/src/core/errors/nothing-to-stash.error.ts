import { ActorError } from './actor.error.js';

/**
 * `ctx.stash()` was called without a current message (in a setup or a signal handler), or twice for one message.
 * @publicApi
 */
export class NothingToStashError extends ActorError {
  constructor(readonly path: string) {
    super(
      'ACTORS_NOTHING_TO_STASH',
      `${path} has no message to stash. Call ctx.stash() in a message handler, at most once per message.`,
    );
  }
}
