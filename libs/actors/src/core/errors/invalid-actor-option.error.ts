import { invalidOptionText } from '@roost/kernel';
import { ActorError } from './actor.error.js';

/** An option is unknown or has an invalid value. `option` names it. @publicApi */
export class InvalidActorOptionError extends ActorError {
  constructor(
    readonly option: string,
    readonly value: unknown,
    expected: string,
    options?: ErrorOptions,
  ) {
    super('ACTORS_INVALID_OPTION', invalidOptionText('Actor', option, value, expected), options);
  }
}
