import { ActorError } from '../core/index.js';

/** Two `ActorSystemModule.forRoot()` calls use the same name. @publicApi */
export class DuplicateActorSystemError extends ActorError {
  constructor(readonly system: string) {
    super(
      'ACTORS_DUPLICATE_SYSTEM',
      `ActorSystemModule.forRoot() declares the system "${system}" twice. Import it once, in the root module, or give one ` +
        'of them another name.',
    );
  }
}
