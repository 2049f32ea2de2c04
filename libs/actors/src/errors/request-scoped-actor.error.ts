import { ActorError } from '../core/index.js';

/** At boot: an actor class is request-scoped, itself or by what it depends on; actors live longer than requests. @publicApi */
export class RequestScopedActorError extends ActorError {
  constructor(
    readonly actor: string,
    /** Which of its dependencies, where they can be told. */
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
