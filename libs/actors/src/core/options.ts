import { consoleLogger, guardedLogger, type RoostLogger, withoutUndefined } from '@roost/kernel';
import { type Clock, systemClock } from '@roost/time';
import type { ActorClass } from './actor-class.js';
import { InvalidActorOptionError } from './errors/invalid-actor-option.error.js';
import { UnknownActorClassError } from './errors/unknown-actor-class.error.js';
import { check } from './option-checks.js';
import type { Props } from './props.js';
import { oneForOne } from './supervision/one-for-one.strategy.js';
import { assertStrategy, type SupervisionStrategy } from './supervision/strategy.js';

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
  /** Gets the path of the actor as context. @default lines on the console; under Nest, Nest's logger */
  logger?: RoostLogger;
  /** For jitter and random routing: a number >= 0 and < 1. @default Math.random */
  random?: () => number;
  /** Makes a decorated class an actor. Nest's module sets it. */
  propsOfClass?: (type: ActorClass) => Props;
}

/** The documented defaults. */
export const DEFAULT_ACTOR_SYSTEM_OPTIONS = {
  name: 'default',
  shutdownTimeoutMs: 10_000,
  askTimeoutMs: 5_000,
  supervision: oneForOne(),
  deadLetterBuffer: 100,
  logDeadLetters: 10,
  clock: systemClock,
  logger: consoleLogger('actors'),
  random: Math.random,
  propsOfClass: (type: ActorClass): Props => {
    throw new UnknownActorClassError(type);
  },
} as const satisfies Required<ActorSystemOptions>;

/** @throws InvalidActorOptionError */
export function resolveActorSystemOptions(options: ActorSystemOptions = {}): Required<ActorSystemOptions> {
  check.knownKeys(options, Object.keys(DEFAULT_ACTOR_SYSTEM_OPTIONS), 'ActorSystem');
  const resolved: Required<ActorSystemOptions> = { ...DEFAULT_ACTOR_SYSTEM_OPTIONS, ...withoutUndefined(options) };
  const { name, supervision, random, propsOfClass, clock, logger } = resolved;
  if (typeof name !== 'string' || name.trim() === '')
    throw new InvalidActorOptionError('name', name, 'a non-empty string');
  check.timeout(resolved.shutdownTimeoutMs, 'shutdownTimeoutMs');
  check.timeout(resolved.askTimeoutMs, 'askTimeoutMs');
  check.number(resolved.deadLetterBuffer, 'deadLetterBuffer', { least: 0, most: 1_000_000, whole: true });
  check.number(resolved.logDeadLetters, 'logDeadLetters', { least: 0, whole: true });
  assertStrategy(supervision, 'supervision');
  if (typeof random !== 'function') throw new InvalidActorOptionError('random', random, 'a function');
  if (typeof propsOfClass !== 'function') throw new InvalidActorOptionError('propsOfClass', propsOfClass, 'a function');
  if (typeof clock?.setTimer !== 'function')
    throw new InvalidActorOptionError('clock', clock, 'a Clock from @roost/time');
  if (typeof logger?.log !== 'function') throw new InvalidActorOptionError('logger', logger, 'a logger');
  return { ...resolved, logger: guardedLogger(logger) };
}
