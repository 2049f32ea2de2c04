import { RECEIVE_METADATA } from '../actors.constants.js';
import type { ActorContext, MessageClass } from '../core/index.js';
import { InvalidHandlerError } from '../errors/invalid-handler.error.js';

/** What messages of a class are: `@Receive(String)` is for texts. @publicApi */
export type MessageOf<C extends MessageClass> = C extends StringConstructor
  ? string
  : C extends NumberConstructor
    ? number
    : C extends BooleanConstructor
      ? boolean
      : InstanceType<C>;

/**
 * The method handles messages of this class and its subclasses, unless those have a handler of their own. It may be
 * async: the next message waits until it has settled.
 *
 * It may return nothing; a `Behavior`, which takes over from the class; or any other value, which is the reply if the
 * message came by `ask`. May be given several times on one method. Inherited methods count; a method that overrides a
 * decorated one is a handler only if it is decorated again.
 *
 * @throws InvalidHandlerError unless `type` is a class
 * @publicApi
 */
export const Receive =
  <C extends MessageClass>(type: C) =>
  <T extends (message: MessageOf<C>, ctx: ActorContext) => unknown>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<T>,
  ): void => {
    const method = descriptor.value;
    if (typeof method !== 'function' || typeof target === 'function') {
      throw new InvalidHandlerError('@Receive()', target, key, 'it must decorate an instance method');
    }
    if (typeof type !== 'function' || !type.prototype) {
      throw new InvalidHandlerError('@Receive()', target, key, 'its argument must be a message class', type);
    }
    Reflect.defineMetadata(RECEIVE_METADATA, [type, ...readReceived(method)], method);
  };

export const readReceived = (method: object): readonly MessageClass[] =>
  (Reflect.getOwnMetadata(RECEIVE_METADATA, method) as MessageClass[] | undefined) ?? [];
