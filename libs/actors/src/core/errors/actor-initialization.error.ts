import { messageOf } from '@roost/kernel';
import { ActorError } from './actor.error.js';

/**
 * An actor's setup or constructor threw. At the first start the actor stops; during a restart, its supervision decides.
 * `cause` is the original error. @publicApi
 */
export class ActorInitializationException extends ActorError {
  constructor(
    readonly path: string,
    cause: unknown,
  ) {
    super('ACTORS_INITIALIZATION_FAILED', `${path} could not be started: ${messageOf(cause)}`, { cause });
  }
}
