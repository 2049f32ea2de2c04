import { ActorError } from './actor.error.js';

/** A lifecycle step that an actor in its present state cannot take: an error of this library, not of its user. @publicApi */
export class InvalidActorStateTransition extends ActorError {
  constructor(
    readonly path: string,
    readonly from: string,
    readonly to: string,
  ) {
    super(
      'ACTORS_INVALID_TRANSITION',
      `${path} cannot go from ${from} to ${to}. This is a bug in @roost/actors: please report it.`,
    );
  }
}
