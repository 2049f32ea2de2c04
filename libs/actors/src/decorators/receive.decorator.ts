import { RECEIVE_METADATA } from '../actors.constants.js';
import type { ActorContext, MessageClass } from '../core/index.js';
import { InvalidHandlerError } from '../errors/invalid-handler.error.js';

/** The message type of a class: `string` for `@Receive(String)`, otherwise the instance type. @publicApi */
export type MessageOf<C extends MessageClass> = C extends StringConstructor
  ? string
  : C extends NumberConstructor
    ? number
    : C extends BooleanConstructor
      ? boolean
      : InstanceType<C>;

/**
 * Calls the method for messages of this class and of subclasses without their own handler. If the method is async, the
 * next message waits until it has settled.
 *
 * The method may return nothing, a `Behavior` that replaces the class's handlers, or any other value, which is the
 * reply if the message was sent with `ask`. The decorator may be used several times on one method. Inherited handlers
 * count. A method that overrides a decorated one is a handler only if it is decorated again.
 *
 * Handlers run in the async context (`AsyncLocalStorage`) of whichever call woke the system's dispatcher, not in that
 * of the sender. Pass request data in the message.
 *
 * @example
 * ```ts
 * import { Actor, type ActorContext, Receive } from '@roost/actors';
 *
 * class GetTotal {}
 *
 * class AddItem {
 *   constructor(readonly price: number) {}
 * }
 *
 * @Actor()
 * export class CartActor {
 *   private total = 0;
 *
 *   @Receive(AddItem)
 *   add({ price }: AddItem, ctx: ActorContext): void {
 *     this.total += price;
 *     ctx.log.debug(`total is ${this.total}`);
 *   }
 *
 *   @Receive(GetTotal)
 *   getTotal(): number {
 *     return this.total; // the reply to an ask
 *   }
 * }
 * ```
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
