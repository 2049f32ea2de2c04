import { consoleLogger, guardedLogger, type RoostLogger, withoutUndefined } from '@roost/kernel';
import { type Clock, systemClock } from '@roost/time';
import type { ActorClass } from './actor-class.js';
import { InvalidActorOptionError } from './errors/invalid-actor-option.error.js';
import { UnknownActorClassError } from './errors/unknown-actor-class.error.js';
import { check } from './option-checks.js';
import type { Props } from './props.js';
import { oneForOne } from './supervision/one-for-one.strategy.js';
import { assertStrategy, type SupervisionStrategy } from './supervision/strategy.js';

/** Options of an `ActorSystem`. @publicApi */
export interface ActorSystemOptions {
  /** Name of the system. @default 'default' */
  name?: string;
  /** Time for actors to handle the messages in their mailboxes during a shutdown, in ms. @default 10_000 */
  shutdownTimeoutMs?: number;
  /** Time that an `ask` without its own `timeoutMs` waits for a reply, in ms. @default 5_000 */
  askTimeoutMs?: number;
  /** Supervision strategy for actors that have none themselves or from their parent. @default oneForOne() */
  supervision?: SupervisionStrategy;
  /** Number of recent dead letters kept for `recentDeadLetters()`. @default 100 */
  deadLetterBuffer?: number;
  /** Number of dead letters to log, starting with the first. @default 10 */
  logDeadLetters?: number;
  /** Source of time and timers. @default systemClock */
  clock?: Clock;
  /** Receives the actor's path as context. @default writes to the console; with `ActorSystemModule`, Nest's logger */
  logger?: RoostLogger;
  /** Random source for jitter and routing; returns a number >= 0 and < 1. @default Math.random */
  random?: () => number;
  /** Turns a decorated class into `Props`. Set by `ActorSystemModule`. */
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
