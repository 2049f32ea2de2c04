import { ActorError } from './actor.error.js';

/** `spawn()` was called in a system, or below an actor, that is stopping or has stopped. @publicApi */
export class ActorSystemStoppingError extends ActorError {
  constructor(
    readonly path: string,
    readonly actorName: string | undefined,
  ) {
    const what = actorName === undefined ? 'an actor' : `"${actorName}"`;
    super('ACTORS_STOPPING', `${path} is stopping or has stopped, so it cannot spawn ${what}.`);
  }
}
