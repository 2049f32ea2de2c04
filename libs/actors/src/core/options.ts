import { type Clock, systemClock } from '@roost/time';
import type { ActorClass } from './actor-class.js';
import { InvalidActorOptionError } from './errors/invalid-actor-option.error.js';
import { UnknownActorClassError } from './errors/unknown-actor-class.error.js';
import { type ActorLogger, consoleLogger, guarded } from './logger.js';
import type { Props } from './props.js';
import { oneForOne } from './supervision/one-for-one.strategy.js';
import { assertStrategy, type SupervisionStrategy } from './supervision/strategy.js';
import { assertKnownKeys, assertNumber, assertTimeout } from './validation.js';

/** @publicApi */
export interface ActorSystemOptions {
  /** @default 'default' */
  name?: string;
  /** How long actors have to finish what is in their mailboxes when the system ends. @default 10_000 */
  shutdownTimeoutMs?: number;
  /** How long an `ask` waits unless it says so itself. @default 5_000 */
  askTimeoutMs?: number;
  /** What becomes of actors that fail, unless they or their parents say. @default oneForOne() */
  supervision?: SupervisionStrategy;
  /** How many of the last dead letters are kept for `recentDeadLetters()`. @default 100 */
  deadLetterBuffer?: number;
  /** How many dead letters are logged, from the first on. @default 10 */
  logDeadLetters?: number;
  /** @default systemClock */
  clock?: Clock;
  /** @default lines on the console; under Nest, Nest's logger */
  logger?: ActorLogger;
  /** For jitter and random routing: a number >= 0 and < 1. @default Math.random */
  random?: () => number;
  /** Makes a decorated class an actor. Nest's module sets it. */
  propsOfClass?: (type: ActorClass) => Props;
}

/** The options with every default filled in. */
export interface ResolvedActorSystemOptions extends Required<Omit<ActorSystemOptions, 'logger'>> {
  readonly logger: Required<ActorLogger>;
}

/** The documented defaults. @publicApi */
export const DEFAULT_ACTOR_SYSTEM_OPTIONS = {
  name: 'default',
  shutdownTimeoutMs: 10_000,
  askTimeoutMs: 5_000,
  supervision: oneForOne(),
  deadLetterBuffer: 100,
  logDeadLetters: 10,
  clock: systemClock,
  logger: consoleLogger,
  random: Math.random,
  propsOfClass: (type: ActorClass): Props => {
    throw new UnknownActorClassError(type);
  },
} as const satisfies Required<ActorSystemOptions>;

/** @throws InvalidActorOptionError */
export function resolveOptions(options: ActorSystemOptions = {}): ResolvedActorSystemOptions {
  assertKnownKeys(options, Object.keys(DEFAULT_ACTOR_SYSTEM_OPTIONS), 'ActorSystem');
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const resolved: Required<ActorSystemOptions> = { ...DEFAULT_ACTOR_SYSTEM_OPTIONS, ...given };
  const { name, supervision, random, propsOfClass, clock, logger } = resolved;
  if (typeof name !== 'string' || name.trim() === '') throw new InvalidActorOptionError('name', name, 'a text');
  assertTimeout(resolved.shutdownTimeoutMs, 'shutdownTimeoutMs');
  assertTimeout(resolved.askTimeoutMs, 'askTimeoutMs');
  assertNumber(resolved.deadLetterBuffer, 'deadLetterBuffer', { least: 0, most: 1_000_000, whole: true });
  assertNumber(resolved.logDeadLetters, 'logDeadLetters', { least: 0, whole: true });
  assertStrategy(supervision, 'supervision');
  if (typeof random !== 'function') throw new InvalidActorOptionError('random', random, 'a function');
  if (typeof propsOfClass !== 'function') throw new InvalidActorOptionError('propsOfClass', propsOfClass, 'a function');
  if (typeof clock?.setTimer !== 'function')
    throw new InvalidActorOptionError('clock', clock, 'a Clock of @roost/time');
  if (typeof logger?.log !== 'function') throw new InvalidActorOptionError('logger', logger, 'a logger');
  return { ...resolved, logger: guarded(logger) };
}
