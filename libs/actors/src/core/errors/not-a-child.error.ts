import { ActorError } from './actor.error.js';

/** `ctx.stop()` was called with an actor that is not a child of the caller. @publicApi */
export class NotAChildError extends ActorError {
  constructor(
    readonly path: string,
    readonly other: string,
  ) {
    super(
      'ACTORS_NOT_A_CHILD',
      `${path} cannot stop ${other}, which is not its child. Use ref.stop() to stop any actor.`,
    );
  }
}
