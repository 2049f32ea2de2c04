import { ActorError } from '../core/index.js';

/** At boot: the options of a system depend on one of the system's own actors. @publicApi */
export class ActorSystemUnavailableError extends ActorError {
  constructor(
    readonly actor: string,
    readonly system: string,
  ) {
    super(
      'ACTORS_SYSTEM_UNAVAILABLE',
      `The options of the actor system "${system}" depend on the actor ${actor}, which runs in that system. Do not ` +
        'inject actors into the dependencies of forRootAsync().',
    );
  }
}
