import { describeValue } from '@roost/kernel';
import { ActorError } from './actor.error.js';

/** A value is not a behavior, or not a valid part of one. @publicApi */
export class InvalidBehaviorError extends ActorError {
  constructor(where: string, expected: string, value: unknown) {
    super(
      'ACTORS_INVALID_BEHAVIOR',
      `${where} must be ${expected}, but is ${describeValue(value)}. Create behaviors with Behavior.receive(), setup() or withState().`,
    );
  }
}
