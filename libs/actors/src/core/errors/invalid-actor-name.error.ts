import { describeValue } from '@roost/kernel';
import { ActorError } from './actor.error.js';

/** A name that cannot be part of a path. @publicApi */
export class InvalidActorNameError extends ActorError {
  constructor(
    readonly actorName: unknown,
    parent: string,
  ) {
    super(
      'ACTORS_INVALID_NAME',
      `${describeValue(actorName)} cannot be the name of an actor below ${parent}. A name has 1 to 255 characters, none ` +
        'of them white space, "/", "?" or "#", and does not begin with "$".',
    );
  }
}
