import { describeValue } from '@roost/kernel';
import { ActorError } from '../core/index.js';

/** A value is not a class with `@Actor()`. @publicApi */
export class NotAnActorClassError extends ActorError {
  constructor(where: string, value: unknown) {
    super(
      'ACTORS_NOT_AN_ACTOR_CLASS',
      typeof value === 'function'
        ? `${where}: the class ${value.name || '(anonymous)'} has no @Actor(). Decorate it, or spawn a Behavior instead.`
        : `${where} needs a class with @Actor(), but got ${describeValue(value)}. If the value is undefined, look for a circular import.`,
    );
  }
}
