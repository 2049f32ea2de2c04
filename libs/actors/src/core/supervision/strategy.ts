import { InvalidActorOptionError } from '../errors/invalid-actor-option.error.js';
import { assertKnownKeys, assertNumber } from '../validation.js';
import { type Backoff, type BackoffOptions, resolveBackoff } from './backoff.js';
import { Directive } from './directive.js';

/** @publicApi */
export type ErrorClass = abstract new (...args: never[]) => unknown;

/** @publicApi */
export type Decider = (error: unknown) => Directive | undefined;

/** @publicApi */
export interface SupervisionOptions {
  /** Restarts allowed within `windowMs`, for each actor by itself; one failure more stops it. @default 10 */
  maxRetries?: number;
  /** @default 60_000 */
  windowMs?: number;
  /**
   * By error class, the first that fits: `[[ValidationError, Directive.Resume], [DatabaseError, Directive.Restart]]`. Or a
   * function of the error. What it has no answer for is restarted.
   */
  decide?: Decider | readonly (readonly [type: ErrorClass, directive: Directive])[];
  /** How long to wait before a restart. @default not at all */
  backoff?: BackoffOptions;
}

/** Made by `oneForOne`, `allForOne` and `exponentialBackoff`. @publicApi */
export interface SupervisionStrategy {
  readonly appliesTo: 'one' | 'all';
  readonly maxRetries: number;
  readonly windowMs: number;
  readonly backoff: Backoff | undefined;
  decide(error: unknown): Directive;
}

const KEYS = ['maxRetries', 'windowMs', 'decide', 'backoff'];
const DIRECTIVES: readonly unknown[] = Object.values(Directive);

/** The directive is for the actor that failed. @publicApi */
export const oneForOne = (options: SupervisionOptions = {}): SupervisionStrategy =>
  strategy('one', options, 'oneForOne');

/** A restart or stop is for the actor that failed and all its siblings. @publicApi */
export const allForOne = (options: SupervisionOptions = {}): SupervisionStrategy =>
  strategy('all', options, 'allForOne');

/**
 * Restarts the actor that failed after a delay that doubles from `minMs` to `maxMs`, without a limit to their number
 * unless `maxRetries` is given. @publicApi
 */
export const exponentialBackoff = (
  options: BackoffOptions & Omit<SupervisionOptions, 'backoff'> = {},
): SupervisionStrategy => {
  const { maxRetries = Infinity, windowMs, decide, ...backoff } = options;
  const strategyOptions = {
    maxRetries,
    backoff,
    ...(windowMs !== undefined && { windowMs }),
    ...(decide && { decide }),
  };
  return strategy('one', strategyOptions, 'exponentialBackoff');
};

function strategy(appliesTo: 'one' | 'all', options: SupervisionOptions, where: string): SupervisionStrategy {
  assertKnownKeys(options, KEYS, where);
  const { maxRetries = 10, windowMs = 60_000, decide, backoff } = options;
  if (maxRetries !== Infinity) assertNumber(maxRetries, `${where}.maxRetries`, { least: 0, whole: true });
  if (windowMs !== Infinity) assertNumber(windowMs, `${where}.windowMs`, { above: 0 });
  return {
    appliesTo,
    maxRetries,
    windowMs,
    backoff: backoff && resolveBackoff(backoff, where),
    decide: deciderOf(decide, where),
  };
}

function deciderOf(decide: SupervisionOptions['decide'], where: string): (error: unknown) => Directive {
  if (decide === undefined) return () => Directive.Restart;
  if (typeof decide === 'function') {
    return (error) => {
      const directive = decide(error) ?? Directive.Restart;
      assertDirective(directive, `${where}.decide()`);
      return directive;
    };
  }
  if (!Array.isArray(decide)) {
    throw new InvalidActorOptionError(`${where}.decide`, decide, 'a function, or a list of [ErrorClass, Directive]');
  }
  const rules = decide as readonly (readonly [ErrorClass, Directive])[];
  for (const rule of rules) {
    if (!Array.isArray(rule) || typeof rule[0] !== 'function') {
      throw new InvalidActorOptionError(`${where}.decide`, rule, 'a pair [ErrorClass, Directive]');
    }
    assertDirective(rule[1], `${where}.decide of ${rule[0].name}`);
  }
  return (error) => rules.find(([type]) => error instanceof type)?.[1] ?? Directive.Restart;
}

function assertDirective(directive: unknown, where: string): void {
  if (DIRECTIVES.includes(directive)) return;
  throw new InvalidActorOptionError(where, directive, `one of ${DIRECTIVES.join(', ')}`);
}
