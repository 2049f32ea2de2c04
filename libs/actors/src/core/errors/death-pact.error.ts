import { ActorError } from './actor.error.js';

/** An actor that watched another one did not handle its end, so it fails itself. @publicApi */
export class DeathPactError extends ActorError {
  constructor(
    readonly path: string,
    readonly ended: string,
  ) {
    super(
      'ACTORS_DEATH_PACT',
      `${path} watches ${ended}, which has ended, and does not handle it. Handle Terminated in onSignal(), or use watchWith().`,
    );
  }
}
