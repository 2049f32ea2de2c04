import { ActorError } from './actor.error.js';

/** `spawn()` below an actor, or in a system, that is ending or has ended. @publicApi */
export class ActorSystemStoppingError extends ActorError {
  constructor(
    readonly path: string,
    readonly actorName: string | undefined,
  ) {
    const what = actorName === undefined ? 'an actor' : `"${actorName}"`;
    super('ACTORS_STOPPING', `${path} is stopping or has stopped, so it cannot spawn ${what}.`);
  }
}
