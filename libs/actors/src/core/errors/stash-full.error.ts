import { ActorError } from './actor.error.js';

/**
 * `ctx.stash()` exceeded its capacity. Unless the handler catches this error, it fails and the message is lost.
 * @publicApi
 */
export class StashFullError extends ActorError {
  constructor(
    readonly path: string,
    readonly capacity: number,
  ) {
    super(
      'ACTORS_STASH_FULL',
      `The stash of ${path} is full: it holds ${capacity} messages. Call ctx.unstashAll() earlier, or raise stashCapacity.`,
    );
  }
}
