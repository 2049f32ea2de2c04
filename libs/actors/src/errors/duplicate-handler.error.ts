import { ActorError } from '../core/index.js';

/** Two methods of an actor class handle the same message or signal class. @publicApi */
export class DuplicateHandlerError extends ActorError {
  constructor(
    readonly actor: string,
    readonly handled: string,
    readonly methods: readonly string[],
  ) {
    super(
      'ACTORS_DUPLICATE_HANDLER',
      `${actor} handles ${handled} in ${methods.map((method) => `${method}()`).join(' and ')}. Keep one of them. To replace an inherited handler, override its method.`,
    );
  }
}
