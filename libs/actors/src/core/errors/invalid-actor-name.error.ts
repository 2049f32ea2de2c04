import { describeValue } from '@roost/kernel';
import { ActorError } from './actor.error.js';

/** An actor name cannot be used in a path. @publicApi */
export class InvalidActorNameError extends ActorError {
  constructor(
    readonly actorName: unknown,
    parent: string,
  ) {
    super(
      'ACTORS_INVALID_NAME',
      `${describeValue(actorName)} is not a valid actor name below ${parent}. A name has 1 to 255 characters, contains no ` +
        'whitespace, control character, "/", "?" or "#", and does not start with "$".',
    );
  }
}
