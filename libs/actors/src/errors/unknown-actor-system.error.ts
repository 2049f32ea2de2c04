import { ActorError } from '../core/index.js';

/** No `ActorSystemModule.forRoot()` declares a system with this name. @publicApi */
export class UnknownActorSystemError extends ActorError {
  constructor(
    readonly system: string | undefined,
    readonly known: readonly string[],
    declaredBy: string,
  ) {
    const what = system === undefined ? 'an actor system' : `the actor system "${system}"`;
    super(
      'ACTORS_UNKNOWN_SYSTEM',
      `${declaredBy} needs ${what}, but ${known.length === 0 ? 'there is none' : `only these exist: ${known.join(', ')}`}. Add ` +
        `ActorSystemModule.forRoot(${system === undefined ? '' : `{ name: '${system}' }`}) to the root module.`,
    );
  }
}
