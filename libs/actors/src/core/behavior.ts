import { isThenable } from '@roost/kernel';
import type { ActorContext } from './actor-context.js';
import { InvalidBehaviorError } from './errors/invalid-behavior.error.js';
import type { Props } from './props.js';
import type { Signal } from './signals.js';
import { assertStrategy, type SupervisionStrategy } from './supervision/strategy.js';

/** What a handler may return: how the actor goes on. Nothing means as before. @publicApi */
export type BehaviorResult<M> = Behavior<M> | void | Promise<Behavior<M> | void>;

/**
 * Functions of a context are written as methods, so that a behavior for some messages counts as one for fewer of them; the
 * reverse is refused by `in M`.
 */
interface Handlers<M> {
  message(ctx: ActorContext<M>, message: M): BehaviorResult<M>;
  signal(ctx: ActorContext<M>, signal: Signal): BehaviorResult<M>;
  setup(ctx: ActorContext<M>): Behavior<M> | Promise<Behavior<M>>;
}

/** @publicApi */
export type MessageHandler<M> = Handlers<M>['message'];

/** @publicApi */
export type SignalHandler<M> = Handlers<M>['signal'];

/** @publicApi */
export type SetupFunction<M> = Handlers<M>['setup'];

export type BehaviorKind = 'receive' | 'setup' | 'same' | 'stopped' | 'unhandled';

/**
 * How an actor reacts. A value: it may be used for any number of actors, each of which goes its own way from it.
 *
 * @publicApi
 */
export class Behavior<in M = never> {
  /** Never set: it makes TypeScript tell behaviors for different messages apart. */
  declare protected readonly accepts: (message: M) => void;

  /** @internal What an actor is made from when it is spawned without options; here, so that it is made once. */
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

  /** Reacts to messages with `handler`. It may be async: the next message waits until it has settled. */
  static receive<M>(handler: MessageHandler<M>): Behavior<M> {
    if (typeof handler !== 'function') throw new InvalidBehaviorError('Behavior.receive()', 'a function', handler);
    return new Behavior<M>('receive', handler);
  }

  /**
   * Runs `factory` once for every actor and once more for every restart, before the first message: the place for state,
   * timers and children. When it throws, or its promise rejects, the actor ends with `ActorInitializationException`.
   */
  static setup<M>(factory: SetupFunction<M>): Behavior<M> {
    if (typeof factory !== 'function') throw new InvalidBehaviorError('Behavior.setup()', 'a function', factory);
    return new Behavior<M>('setup', nothing, undefined, factory);
  }

  /**
   * Carries a state from message to message: `handler` returns the next one, or nothing to keep it, or a behavior. Each
   * actor begins with `initial`, also after a restart.
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

  /** Go on as before; the same as returning nothing. */
  static same<M>(): Behavior<M> {
    return SAME;
  }

  /** End after this message. What is waiting becomes dead letters. */
  static stopped<M>(): Behavior<M> {
    return STOPPED;
  }

  /** Go on as before; the message becomes a dead letter, and an `ask` rejects. */
  static unhandled<M>(): Behavior<M> {
    return UNHANDLED;
  }

  /** What decides when an actor with this behavior fails, before the actor's options and its parent are asked. */
  static supervise<M>(behavior: Behavior<M>, supervision: SupervisionStrategy): Behavior<M> {
    if (!isBehavior(behavior)) throw new InvalidBehaviorError('supervise(behavior)', 'a behavior', behavior);
    assertStrategy(supervision, 'supervise(strategy)');
    const { kind, onMessage, signalHandler, initialize } = behavior;
    return new Behavior<M>(kind, onMessage, signalHandler, initialize, supervision);
  }

  /**
   * The same behavior with a handler for signals. It replaces the one it had. On `setup` and `withState` it is for the
   * behavior they lead to, unless that has one of its own.
   */
  onSignal(handler: SignalHandler<M>): Behavior<M> {
    if (typeof handler !== 'function') throw new InvalidBehaviorError('onSignal()', 'a function', handler);
    const { kind, onMessage, initialize, supervision } = this;
    if (kind !== 'receive' && kind !== 'setup') {
      throw new InvalidBehaviorError('onSignal()', 'called on a behavior that handles messages', `Behavior.${kind}()`);
    }
    return new Behavior<M>(kind, onMessage, handler, initialize, supervision);
  }

  /** @internal What a setup has led to, with what the setup has and it lacks. */
  static inherit(next: Behavior<never>, from: Behavior<never>): Behavior<never> {
    const signalHandler = next.signalHandler ?? from.signalHandler;
    const supervision = next.supervision ?? from.supervision;
    if (signalHandler === next.signalHandler && supervision === next.supervision) return next;
    return new Behavior<never>(next.kind, next.onMessage, signalHandler, next.initialize, supervision);
  }

  /** @internal The same behavior with another message handler. */
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
    // A proxy may refuse even this.
    return false;
  }
};

const nothing = (): void => undefined;

export const SAME = Behavior.marker('same');
export const STOPPED = Behavior.marker('stopped');
export const UNHANDLED = Behavior.marker('unhandled');
/** Stands in for the behavior before the first one is set, and after the stop. */
export const NO_BEHAVIOR = Behavior.marker('unhandled');
