import { describeValue } from '@roost/kernel';
import { ActorError } from '../core/index.js';

/** `@Receive` or `@OnSignal` where it cannot work, or with something that is no such class. @publicApi */
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
