import { ActorError } from './actor.error.js';

/** An actor attempted a lifecycle step that its state does not allow. This is a bug in the library. @publicApi */
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
