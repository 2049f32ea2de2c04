import { ActorError } from '../core/index.js';

/** At boot: an actor class or one of its dependencies is request-scoped, but actors outlive requests. @publicApi */
export class RequestScopedActorError extends ActorError {
  constructor(
    readonly actor: string,
    /** The request-scoped dependencies, as far as they are known. */
    readonly dependencies: readonly string[],
    cause: unknown,
  ) {
    const why = dependencies.length === 0 ? 'it or one of its dependencies' : dependencies.join(' and ');
    super(
      'ACTORS_REQUEST_SCOPED',
      `Cannot create the actor ${actor}: ${why} is request-scoped, but an actor outlives a request. Use default or ` +
        'transient scope, and send request data in messages.',
      { cause },
    );
  }
}
