import type { ActorRef } from '../actor-ref.js';
import { InvalidActorOptionError } from '../errors/invalid-actor-option.error.js';
import { Directive } from './directive.js';

/** The restarts of one actor. @publicApi */
export interface RestartHistory {
  /** Number of restarts since the actor was spawned. */
  readonly count: number;
  /** Number of restarts in the last `windowMs`. Counting starts with the first call. */
  within(windowMs: number): number;
  /** Number of restarts since the actor last ran for `resetAfterMs` without a failure. */
  inARow(resetAfterMs: number): number;
}

/** The failure of an actor, as passed to a supervision strategy. @publicApi */
export interface ActorFailure {
  readonly error: unknown;
  /** The failed actor. */
  readonly actor: ActorRef<never>;
  readonly restarts: RestartHistory;
  /** The system's option `random`, for reproducible jitter in tests. */
  readonly random: () => number;
  /** False when a restart failed: there is no instance to resume, so `Resume` is treated as `Restart`. */
  readonly canResume: boolean;
  /** False when a failed restart was escalated and the parent resumed: `Escalate` is treated as `Restart`. */
  readonly canEscalate: boolean;
}

/** A directive with details. @publicApi */
export interface SupervisionDecision {
  readonly directive: Directive;
  /** Delay before a restart, in ms. @default 0 */
  readonly delayMs?: number;
  /** Whether a restart or stop includes all siblings of the actor. @default false */
  readonly includesSiblings?: boolean;
  /** Reason for the directive, for the log. */
  readonly reason?: string;
}

/**
 * Decides what happens to a failed actor. Use `oneForOne`, `allForOne` or `exponentialBackoff`, or implement your own.
 * One strategy serves any number of actors, so it must not keep state: `failure.restarts` contains the actor's history.
 *
 * @example
 * ```ts
 * import { Directive, type SupervisionStrategy } from '@roost/actors';
 *
 * export const threeTimes: SupervisionStrategy = {
 *   decide: ({ restarts }) =>
 *     restarts.count < 3 ? { directive: Directive.Restart, delayMs: 500 } : Directive.Escalate,
 * };
 * ```
 *
 * @publicApi
 */
export interface SupervisionStrategy {
  /** Called for each failure. Must return synchronously. If it throws, the actor is stopped. */
  decide(failure: ActorFailure): Directive | SupervisionDecision;
}

/** @throws InvalidActorOptionError unless the value has a `decide` method */
export function assertStrategy(strategy: unknown, option: string): asserts strategy is SupervisionStrategy {
  if (typeof (strategy as SupervisionStrategy | null | undefined)?.decide === 'function') return;
  throw new InvalidActorOptionError(option, strategy, 'a supervision strategy, such as oneForOne()');
}

/** Returns the directive, or `Restart` if the failure does not allow it. */
export const possibleDirective = (directive: Directive, { canResume, canEscalate }: ActorFailure): Directive =>
  (directive === Directive.Resume && !canResume) || (directive === Directive.Escalate && !canEscalate)
    ? Directive.Restart
    : directive;
