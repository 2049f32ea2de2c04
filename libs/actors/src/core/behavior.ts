import { isThenable } from '@roost/kernel';
import type { ActorContext } from './actor-context.js';
import { InvalidBehaviorError } from './errors/invalid-behavior.error.js';
import type { Props } from './props.js';
import type { Signal } from './signals.js';
import { assertStrategy, type SupervisionStrategy } from './supervision/strategy.js';

/** Return value of a handler: the behavior for the next message. Nothing keeps the current one. @publicApi */
export type BehaviorResult<M> = Behavior<M> | void | Promise<Behavior<M> | void>;

/**
 * Declared as methods, so that parameters are bivariant and a behavior for more messages also counts as one for fewer.
 * `in M` rejects the reverse.
 */
interface Handlers<M> {
  message(ctx: ActorContext<M>, message: M): BehaviorResult<M>;
  signal(ctx: ActorContext<M>, signal: Signal): BehaviorResult<M>;
  setup(ctx: ActorContext<M>): Behavior<M> | Promise<Behavior<M>>;
}

/** Handles a message. @publicApi */
export type MessageHandler<M> = Handlers<M>['message'];

/** Handles a signal. @publicApi */
export type SignalHandler<M> = Handlers<M>['signal'];

/** Creates the initial behavior of an actor. @publicApi */
export type SetupFunction<M> = Handlers<M>['setup'];

export type BehaviorKind = 'receive' | 'setup' | 'same' | 'stopped' | 'unhandled';

/**
 * Defines how an actor handles messages and signals. A behavior is a value: any number of actors can start from it,
 * each with its own state.
 *
 * Handlers run in the async context (`AsyncLocalStorage`) of whichever call woke the system's dispatcher, not in that
 * of the sender. Pass request data in the message.
 *
 * @example
 * ```ts
 * import { type ActorRef, Behavior, PostStop } from '@roost/actors';
 *
 * type Command =
 *   | { readonly type: 'add'; readonly sku: string }
 *   | { readonly type: 'list'; readonly replyTo: ActorRef<string[]> };
 *
 * export const cart = Behavior.setup<Command>(() => {
 *   const items: string[] = [];
 *   return Behavior.receive<Command>((_ctx, command) => {
 *     if (command.type === 'add') items.push(command.sku);
 *     else command.replyTo.tell([...items]);
 *   }).onSignal((ctx, signal) => {
 *     if (signal instanceof PostStop) ctx.log.log(`cart closed with ${items.length} items`);
 *   });
 * });
 * ```
 *
 * @publicApi
 */
export class Behavior<in M = never> {
  /** Never set. Lets TypeScript distinguish behaviors for different message types. */
  declare protected readonly accepts: (message: M) => void;

  /** @internal Props for spawning this behavior without options, cached. */
  plainProps: Props | undefined = undefined;

  private constructor(
    /** @internal */
    readonly kind: BehaviorKind,
    /** @internal */
    readonly onMessage: MessageHandler<M>,
    /** @internal */
    readonly signalHandler: SignalHandler<M> | undefined = undefined,
    /** @internal */
    readonly initialize: SetupFunction<M> | undefined = undefined,
    /** @internal */
    readonly supervision: SupervisionStrategy | undefined = undefined,
  ) {}

  /** Handles messages with `handler`. If it is async, the next message waits until it has settled. */
  static receive<M>(handler: MessageHandler<M>): Behavior<M> {
    if (typeof handler !== 'function') throw new InvalidBehaviorError('Behavior.receive()', 'a function', handler);
    return new Behavior<M>('receive', handler);
  }

  /**
   * Runs `factory` before the first message, once per actor and again at every restart. Use it to create state, timers
   * and children. If it throws or rejects at the first start, the actor stops with `ActorInitializationException`;
   * during a restart, that error is a new failure for the supervision.
   */
  static setup<M>(factory: SetupFunction<M>): Behavior<M> {
    if (typeof factory !== 'function') throw new InvalidBehaviorError('Behavior.setup()', 'a function', factory);
    return new Behavior<M>('setup', nothing, undefined, factory);
  }

  /**
   * Carries a state from message to message. `handler` returns the next state, nothing to keep the current one, or
   * another behavior. Each actor starts with `initial`, and so does each restart. `initial` is not copied: return a new
   * state instead of mutating it.
   */
  static withState<M, S>(
    initial: S,
    handler: (ctx: ActorContext<M>, message: M, state: S) => S | Behavior<M> | void | Promise<S | Behavior<M> | void>,
  ): Behavior<M> {
    if (typeof handler !== 'function') throw new InvalidBehaviorError('Behavior.withState()', 'a function', handler);
    return Behavior.setup<M>(() => {
      let state = initial;
      const take = (next: S | Behavior<M> | void): Behavior<M> | void => {
        if (next instanceof Behavior) return next;
        if (next !== undefined) state = next;
      };
      return Behavior.receive<M>((ctx, message) => {
        const next = handler(ctx, message, state);
        return isThenable(next) ? Promise.resolve(next).then(take) : take(next);
      });
    });
  }

  /** Keeps the current behavior, like returning nothing. */
  static same<M>(): Behavior<M> {
    return SAME;
  }

  /** Stops the actor after the current message. Waiting messages become dead letters. */
  static stopped<M>(): Behavior<M> {
    return STOPPED;
  }

  /** Keeps the current behavior. The message becomes a dead letter, and an `ask` rejects. */
  static unhandled<M>(): Behavior<M> {
    return UNHANDLED;
  }

  /** Adds a supervision strategy, which is consulted before the actor's `supervision` option and before its parent. */
  static supervise<M>(behavior: Behavior<M>, supervision: SupervisionStrategy): Behavior<M> {
    if (!isBehavior(behavior)) throw new InvalidBehaviorError('supervise(behavior)', 'a behavior', behavior);
    assertStrategy(supervision, 'supervise(strategy)');
    const { kind, onMessage, signalHandler, initialize } = behavior;
    return new Behavior<M>(kind, onMessage, signalHandler, initialize, supervision);
  }

  /**
   * Returns the same behavior with a signal handler, which replaces any previous one. On `setup` and `withState` it
   * applies to the behavior they return, unless that behavior has its own signal handler.
   */
  onSignal(handler: SignalHandler<M>): Behavior<M> {
    if (typeof handler !== 'function') throw new InvalidBehaviorError('onSignal()', 'a function', handler);
    const { kind, onMessage, initialize, supervision } = this;
    if (kind !== 'receive' && kind !== 'setup') {
      throw new InvalidBehaviorError('onSignal()', 'called on a behavior that handles messages', `Behavior.${kind}()`);
    }
    return new Behavior<M>(kind, onMessage, handler, initialize, supervision);
  }

  /** @internal Completes the result of a setup with the setup's own signal handler and supervision. */
  static inherit(next: Behavior<never>, from: Behavior<never>): Behavior<never> {
    const signalHandler = next.signalHandler ?? from.signalHandler;
    const supervision = next.supervision ?? from.supervision;
    if (signalHandler === next.signalHandler && supervision === next.supervision) return next;
    return new Behavior<never>(next.kind, next.onMessage, signalHandler, next.initialize, supervision);
  }

  /** @internal Returns the same behavior with another message handler. */
  static withHandler(behavior: Behavior<unknown>, onMessage: MessageHandler<unknown>): Behavior<unknown> {
    const { kind, signalHandler, initialize, supervision } = behavior;
    return new Behavior<unknown>(kind, onMessage, signalHandler, initialize, supervision);
  }

  /** @internal */
  static marker(kind: BehaviorKind): Behavior<unknown> {
    return new Behavior<unknown>(kind, nothing);
  }
}

export const isBehavior = (value: unknown): value is Behavior<never> => {
  try {
    return value instanceof Behavior;
  } catch {
    // A proxy may throw here.
    return false;
  }
};

const nothing = (): void => undefined;

export const SAME = Behavior.marker('same');
export const STOPPED = Behavior.marker('stopped');
export const UNHANDLED = Behavior.marker('unhandled');
/** Placeholder before the first behavior is set and after the actor has stopped. */
export const NO_BEHAVIOR = Behavior.marker('unhandled');
