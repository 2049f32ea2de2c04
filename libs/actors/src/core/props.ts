import type { ActorContext } from './actor-context.js';
import { Behavior, type BehaviorResult } from './behavior.js';
import { InvalidActorOptionError } from './errors/invalid-actor-option.error.js';
import { InvalidBehaviorError } from './errors/invalid-behavior.error.js';
import { type MailboxOptions, unbounded } from './mailbox/mailbox-options.js';
import { assertStrategy, type SupervisionStrategy } from './supervision/strategy.js';
import { check } from './option-checks.js';

/**
 * Wraps the message handler of an actor. It sees every message and may change, drop or delay it. `next` calls the
 * handler.
 *
 * @example
 * ```ts
 * import { Behavior, type Interceptor, Props } from '@roost/actors';
 *
 * const trimmed: Interceptor<string> = (_ctx, text, next) => next(text.trim());
 *
 * export const printer = Props.of(
 *   Behavior.receive((ctx, text: string) => ctx.log.log(text)),
 *   { interceptors: [trimmed] },
 * );
 * ```
 *
 * @publicApi
 */
export type Interceptor<M = unknown> = (
  ctx: ActorContext<M>,
  message: M,
  next: (message: M) => BehaviorResult<M>,
) => BehaviorResult<M>;

/** Options of an actor, for `Props.of()` and `@Actor()`. @publicApi */
export interface ActorOptions {
  /** Mailbox of the actor. @default unbounded() */
  mailbox?: MailboxOptions;
  /** Strategy for failures of this actor. @default the `childSupervision` of its parent */
  supervision?: SupervisionStrategy;
  /** Strategy for children that have none themselves. @default the option `supervision` of the system */
  childSupervision?: SupervisionStrategy;
  /** Maximum number of stashed messages. @default 1_000 */
  stashCapacity?: number;
  /** Limit of `messages` in any period of `perMs`. @default no limit */
  throttle?: { readonly messages: number; readonly perMs: number };
  /** Interceptors of the message handler, outermost first. @default [] */
  // Accepts interceptors for any message type and for the actor's own. M is both input and output, so only `any` fits
  // both.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  interceptors?: readonly Interceptor<any>[];
}

const KEYS = ['mailbox', 'supervision', 'childSupervision', 'stashCapacity', 'throttle', 'interceptors'];
const DEFAULT_STASH_CAPACITY = 1_000;

/**
 * A behavior with options. It is validated once, and any number of actors can be spawned from it.
 *
 * @example
 * ```ts
 * import { ActorSystem, Behavior, bounded, Props } from '@roost/actors';
 *
 * const logger = Props.of(
 *   Behavior.receive((ctx, line: string) => ctx.log.log(line)),
 *   { mailbox: bounded(1_000), throttle: { messages: 100, perMs: 1_000 } },
 * );
 *
 * const system = new ActorSystem();
 * system.spawn(logger, 'audit').tell('started');
 * ```
 *
 * @publicApi
 */
export class Props<in M = never> {
  /** Never set. Lets TypeScript distinguish `Props` for different message types. */
  declare protected readonly accepts: (message: M) => void;

  /** @internal */
  readonly mailbox: MailboxOptions;
  /** @internal */
  readonly supervision: SupervisionStrategy | undefined;
  /** @internal */
  readonly childSupervision: SupervisionStrategy | undefined;
  /** @internal */
  readonly stashCapacity: number;
  /** @internal */
  readonly throttle: ActorOptions['throttle'];
  /** @internal */
  readonly interceptors: readonly Interceptor<never>[];

  private constructor(
    /** @internal */
    readonly behavior: Behavior<M>,
    options: ActorOptions,
    /** @internal Whether a handler's return value, unless it is a behavior, is the reply to an `ask`. */
    readonly valuesAreReplies = false,
  ) {
    check.knownKeys(options, KEYS, 'Props');
    const { mailbox = unbounded(), stashCapacity = DEFAULT_STASH_CAPACITY, throttle, interceptors = [] } = options;
    if (typeof mailbox?.create !== 'function') {
      throw new InvalidActorOptionError('mailbox', mailbox, 'made by unbounded(), bounded() or priority()');
    }
    check.number(stashCapacity, 'stashCapacity', { least: 1, whole: true });
    if (throttle !== undefined) {
      check.knownKeys(throttle, ['messages', 'perMs'], 'throttle');
      check.number(throttle.messages, 'throttle.messages', { least: 1, most: 1_000_000, whole: true });
      check.timeout(throttle.perMs, 'throttle.perMs');
    }
    if (!Array.isArray(interceptors) || !interceptors.every((one) => typeof one === 'function')) {
      throw new InvalidActorOptionError('interceptors', interceptors, 'a list of functions');
    }
    for (const name of ['supervision', 'childSupervision'] as const) {
      if (options[name] !== undefined) assertStrategy(options[name], name);
    }
    this.mailbox = mailbox;
    this.supervision = options.supervision;
    this.childSupervision = options.childSupervision;
    this.stashCapacity = stashCapacity;
    this.throttle = throttle;
    this.interceptors = interceptors;
  }

  /** @throws InvalidActorOptionError, InvalidBehaviorError */
  static of<M>(behavior: Behavior<M>, options: ActorOptions = {}): Props<M> {
    if (!(behavior instanceof Behavior) || (behavior.kind !== 'receive' && behavior.kind !== 'setup')) {
      throw new InvalidBehaviorError('The behavior of an actor', 'a behavior that can be started', behavior);
    }
    return new Props(behavior, options);
  }

  /** @internal For actors whose handlers are methods of a class. */
  static replying<M>(behavior: Behavior<M>, options: ActorOptions): Props<M> {
    return new Props(behavior, options, true);
  }
}

export function propsOf(what: Behavior<never> | Props): Props {
  return what instanceof Props ? what : (what.plainProps ??= Props.of(what));
}
