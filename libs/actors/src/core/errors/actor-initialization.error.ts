import { messageOf } from '@roost/kernel';
import { ActorError } from './actor.error.js';

/** The setup of an actor, or its constructor, threw. The actor has ended; `cause` is what was thrown. @publicApi */
export class ActorInitializationException extends ActorError {
  constructor(
    readonly path: string,
    cause: unknown,
  ) {
    super('ACTORS_INITIALIZATION_FAILED', `${path} could not be started: ${messageOf(cause)}`, { cause });
  }
}
