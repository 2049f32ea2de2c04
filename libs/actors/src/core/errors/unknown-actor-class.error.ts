import { ActorError } from './actor.error.js';

/** `spawn()` was called with a class that is not registered as an actor. @publicApi */
export class UnknownActorClassError extends ActorError {
  constructor(
    readonly type: abstract new (...args: never[]) => object,
    advice = 'Without Nest, spawn a behavior; with Nest, list the class in ActorSystemModule.forFeature([...]).',
  ) {
    super('ACTORS_UNKNOWN_CLASS', `The class ${type.name || '(anonymous)'} is not registered as an actor. ${advice}`);
  }
}
