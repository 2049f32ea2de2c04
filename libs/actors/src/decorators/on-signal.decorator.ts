import { SIGNAL_METADATA } from '../actors.constants.js';
import { type ActorContext, type MessageClass, Signal } from '../core/index.js';
import { InvalidHandlerError } from '../errors/invalid-handler.error.js';

/**
 * Calls the method for signals of this class, such as `PostStop`, `Terminated` or `ReceiveTimeout`. The method may be
 * async. It may return a `Behavior`; other return values are ignored. `@OnSignal(Signal)` handles all signals without
 * their own handler.
 *
 * @example
 * ```ts
 * import { Actor, type ActorContext, OnSignal, PreStart, ReceiveTimeout } from '@roost/actors';
 *
 * @Actor()
 * export class SessionActor {
 *   @OnSignal(PreStart)
 *   start(_signal: PreStart, ctx: ActorContext): void {
 *     ctx.setReceiveTimeout(60_000);
 *   }
 *
 *   @OnSignal(ReceiveTimeout)
 *   expire(_signal: ReceiveTimeout, ctx: ActorContext): void {
 *     ctx.stop();
 *   }
 * }
 * ```
 *
 * @throws InvalidHandlerError unless `type` is a signal class
 * @publicApi
 */
export const OnSignal =
  <S extends Signal>(type: MessageClass<S>) =>
  <T extends (signal: S, ctx: ActorContext) => unknown>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<T>,
  ): void => {
    const method = descriptor.value;
    if (typeof method !== 'function' || typeof target === 'function') {
      throw new InvalidHandlerError('@OnSignal()', target, key, 'it must decorate an instance method');
    }
    const isSignal = typeof type === 'function' && (type.prototype instanceof Signal || (type as unknown) === Signal);
    if (!isSignal) {
      throw new InvalidHandlerError(
        '@OnSignal()',
        target,
        key,
        'its argument must be a signal class such as PostStop',
        type,
      );
    }
    Reflect.defineMetadata(SIGNAL_METADATA, [type, ...readSignals(method)], method);
  };

export const readSignals = (method: object): readonly MessageClass<Signal>[] =>
  (Reflect.getOwnMetadata(SIGNAL_METADATA, method) as MessageClass<Signal>[] | undefined) ?? [];
