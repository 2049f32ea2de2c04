import { ActorError } from './actor.error.js';

/** `spawn()` with the name of a sibling that has not ended. @publicApi */
export class DuplicateActorNameError extends ActorError {
  constructor(
    readonly path: string,
    stopping: boolean,
  ) {
    super(
      'ACTORS_DUPLICATE_NAME',
      stopping
        ? `${path} is stopping but has not ended. Await whenTerminated() of it before the name is used again.`
        : `${path} exists already. Choose another name, or leave it out to have one made up.`,
    );
  }
}
