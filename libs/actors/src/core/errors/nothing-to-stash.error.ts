import { ActorError } from './actor.error.js';

/** `ctx.stash()` when no message is being handled, in a setup or a signal handler, or a second time for one. @publicApi */
export class NothingToStashError extends ActorError {
  constructor(readonly path: string) {
    super(
      'ACTORS_NOTHING_TO_STASH',
      `${path} has no message to stash. Call ctx.stash() in a message handler, at most once per message.`,
    );
  }
}
