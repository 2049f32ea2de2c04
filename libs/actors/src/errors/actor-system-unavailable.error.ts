import { ActorError } from '../core/index.js';

/** At boot: the options of a system need something that injects one of its actors. @publicApi */
export class ActorSystemUnavailableError extends ActorError {
  constructor(
    readonly actor: string,
    readonly system: string,
  ) {
    super(
      'ACTORS_SYSTEM_UNAVAILABLE',
      `The actor ${actor} is needed to make the actor system "${system}", which it is to live in. Do not inject actors into ` +
        'what forRootAsync() injects.',
    );
  }
}
