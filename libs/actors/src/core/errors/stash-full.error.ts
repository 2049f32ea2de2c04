import { ActorError } from './actor.error.js';

/** `ctx.stash()` beyond the capacity. It fails the handler; the message is lost unless it is handled otherwise. @publicApi */
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
