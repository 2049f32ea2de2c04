import { ActorError } from './actor.error.js';

/** `spawn()` was called with the name of a sibling that has not stopped yet. @publicApi */
export class DuplicateActorNameError extends ActorError {
  constructor(
    readonly path: string,
    stopping: boolean,
  ) {
    super(
      'ACTORS_DUPLICATE_NAME',
      stopping
        ? `${path} is still stopping. Await its whenTerminated() before you reuse the name.`
        : `${path} already exists. Choose another name, or omit the name to have one generated.`,
    );
  }
}
