import { TestkitError } from './testkit.error.js';

/** The probe of `overrideActor()` was read before anything injected the actor. @publicApi */
export class ActorNotInjectedError extends TestkitError {
  constructor(readonly actor: string) {
    super(
      'TESTKIT_ACTOR_NOT_INJECTED',
      `Nothing injects ${actor} yet, so it has no probe. Compile the module first, and check that ` +
        `${actor} is listed in ActorSystemModule.forFeature() and injected with the same system name, if any.`,
    );
  }
}
