import { SIGNAL_METADATA } from '../actors.constants.js';
import { type ActorContext, type MessageClass, Signal } from '../core/index.js';
import { InvalidHandlerError } from '../errors/invalid-handler.error.js';

/**
 * The method is told of signals of this class: `PostStop`, `Terminated`, `ReceiveTimeout` and so on. It may be async, and
 * may return a `Behavior`; other values are ignored. `@OnSignal(Signal)` gets all that have no handler of their own.
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
