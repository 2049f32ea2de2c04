import { ActorError } from './actor.error.js';
import { describeValue } from './describe-value.js';

/** An option with a value it cannot have, or an option that does not exist. `option` names it. @publicApi */
export class InvalidActorOptionError extends ActorError {
  constructor(
    readonly option: string,
    readonly value: unknown,
    expected: string,
  ) {
    super('ACTORS_INVALID_OPTION', `Actor option \`${option}\` is ${describeValue(value)}, but must be ${expected}.`);
  }
}
