import { ActorError } from '../core/index.js';

/** At boot: an actor class has a dependency that its module cannot provide. `cause` is Nest's error. @publicApi */
export class ActorDependencyError extends ActorError {
  constructor(
    readonly actor: string,
    /** `parameter 0 (CartRepo)` or `property "repo"`. */
    readonly dependency: string,
    readonly modules: readonly string[],
    cause: unknown,
  ) {
    super(
      'ACTORS_DEPENDENCY',
      `Cannot create the actor ${actor}: ${dependency} is not available in ${modules.join(' or ')}. Provide it there, or ` +
        'import the module that exports it.',
      { cause },
    );
  }
}
