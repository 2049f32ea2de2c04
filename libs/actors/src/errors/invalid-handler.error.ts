import { describeValue } from '@roost/kernel';
import { ActorError } from '../core/index.js';

/** `@Receive` or `@OnSignal` is in an invalid place or has an invalid argument. @publicApi */
export class InvalidHandlerError extends ActorError {
  constructor(
    decorator: string,
    target: object,
    readonly method: string | symbol,
    why: string,
    ...given: readonly unknown[]
  ) {
    const type = typeof target === 'function' ? target : target.constructor;
    const but = given.map((value) => `, but got ${describeValue(value)}`).join('');
    super('ACTORS_INVALID_HANDLER', `${decorator} on ${type.name}.${String(method)}: ${why}${but}.`);
  }
}
