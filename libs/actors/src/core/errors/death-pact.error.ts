import { ActorError } from './actor.error.js';

/** An actor failed because it did not handle the `Terminated` of an actor it watches. @publicApi */
export class DeathPactError extends ActorError {
  constructor(
    readonly path: string,
    readonly ended: string,
  ) {
    super(
      'ACTORS_DEATH_PACT',
      `${path} watches ${ended}, which has stopped, but does not handle Terminated. Handle it in onSignal(), or use watchWith().`,
    );
  }
}
