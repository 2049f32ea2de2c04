import { ActorError } from './actor.error.js';

/** `ctx.stash()` when no message is being handled: in a setup or a signal handler. @publicApi */
export class NothingToStashError extends ActorError {
  constructor(readonly path: string) {
    super('ACTORS_NOTHING_TO_STASH', `${path} is not handling a message. Call ctx.stash() in a message handler.`);
  }
}
