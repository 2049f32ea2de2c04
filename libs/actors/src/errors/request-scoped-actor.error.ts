import { ActorError } from '../core/index.js';

/** At boot: an actor class is request-scoped, itself or by what it depends on; actors live longer than requests. @publicApi */
export class RequestScopedActorError extends ActorError {
  constructor(
    readonly actor: string,
    /** Which of its dependencies, where they can be told. */
    readonly dependencies: readonly string[],
    cause: unknown,
  ) {
    const why = dependencies.length === 0 ? 'it, or what it depends on,' : dependencies.join(' and ');
    super(
      'ACTORS_REQUEST_SCOPED',
      `The actor ${actor} cannot be made: ${why} is request-scoped, and an actor lives longer than a request. Use default ` +
        'or transient scope, and send what belongs to a request in messages.',
      { cause },
    );
  }
}
