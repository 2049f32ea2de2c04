import type { ActorContext } from './actor-context.js';
import { Behavior, type BehaviorResult } from './behavior.js';
import { InvalidActorOptionError } from './errors/invalid-actor-option.error.js';
import { InvalidBehaviorError } from './errors/invalid-behavior.error.js';
import { type MailboxOptions, unbounded } from './mailbox/mailbox-options.js';
import { assertStrategy, type SupervisionStrategy } from './supervision/strategy.js';
import { check } from './option-checks.js';

/**
 * Stands around the message handler of an actor: it sees every message and may change it, drop it, or wait. `next`
 * handles it.
 *
 * @publicApi
 */
export type Interceptor<M = unknown> = (
  ctx: ActorContext<M>,
  message: M,
  next: (message: M) => BehaviorResult<M>,
) => BehaviorResult<M>;

/** @publicApi */
export interface ActorOptions {
  /** @default unbounded() */
  mailbox?: MailboxOptions;
  /** What becomes of this actor when it fails. @default what its parent has for its children */
  supervision?: SupervisionStrategy;
  /** What becomes of its children that do not say it themselves. @default the option `supervision` of the system */
  childSupervision?: SupervisionStrategy;
  /** How many messages `ctx.stash()` may hold. @default 1_000 */
  stashCapacity?: number;
  /** At most `messages` in any period of `perMs`. @default no limit */
  throttle?: { readonly messages: number; readonly perMs: number };
  /** The first is the outermost. @default [] */
  // One for any messages, or one for those of the actor. Its type both takes and gives messages, so only `any` says that.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  interceptors?: readonly Interceptor<any>[];
}

const KEYS = ['mailbox', 'supervision', 'childSupervision', 'stashCapacity', 'throttle', 'interceptors'];
const DEFAULT_STASH_CAPACITY = 1_000;

/**
 * What an actor is made from: a behavior and options, checked once and shared by any number of actors.
 *
 * @publicApi
 */
export class Props<in M = never> {
  /** Never set: it makes TypeScript tell Props for different messages apart. */
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
    /** @internal What handlers return besides behaviors is the reply to an `ask`, not a mistake. */
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

  /** @internal For actors whose handlers are methods. */
  static replying<M>(behavior: Behavior<M>, options: ActorOptions): Props<M> {
    return new Props(behavior, options, true);
  }
}

export function propsOf(what: Behavior<never> | Props): Props {
  return what instanceof Props ? what : (what.plainProps ??= Props.of(what));
}
