import type { ActorRef } from '../actor-ref.js';
import { InvalidActorOptionError } from '../errors/invalid-actor-option.error.js';
import { Directive } from './directive.js';

/** The restarts of one actor. @publicApi */
export interface RestartHistory {
  /** All restarts since the actor was spawned. */
  readonly count: number;
  /** Number of restarts in the last `windowMs`. They are counted from the first call on. */
  within(windowMs: number): number;
  /** Number of restarts since the actor has last run for `resetAfterMs` without a failure. */
  inARow(resetAfterMs: number): number;
}

/** The failure of an actor, as a supervision strategy gets it. @publicApi */
export interface ActorFailure {
  readonly error: unknown;
  /** The actor that has failed. */
  readonly actor: ActorRef<never>;
  readonly restarts: RestartHistory;
  /** The option `random` of the system, for jitter that tests can repeat. */
  readonly random: () => number;
  /** False when a restart has failed: there is no instance to resume, and `Resume` means `Restart`. */
  readonly canResume: boolean;
  /** False when the parent has taken over a failed restart and was resumed: `Escalate` means `Restart`. */
  readonly canEscalate: boolean;
}

/** A directive with details. @publicApi */
export interface SupervisionDecision {
  readonly directive: Directive;
  /** Delay before a restart, in ms. @default 0 */
  readonly delayMs?: number;
  /** Whether a restart or stop includes all siblings of the actor. @default false */
  readonly includesSiblings?: boolean;
  /** Reason of the directive, for the log. */
  readonly reason?: string;
}

/**
 * Decides what happens to actors that have failed. Use `oneForOne`, `allForOne` or `exponentialBackoff`, or implement it
 * yourself. One strategy serves any number of actors, so it keeps no state of its own: `failure.restarts` has the history
 * of the actor.
 *
 * @example
 * ```ts
 * import { Directive, type SupervisionStrategy } from '@roost/actors';
 *
 * export const threeTimes: SupervisionStrategy = {
 *   decide: ({ restarts }) => (restarts.count < 3 ? { directive: Directive.Restart, delayMs: 500 } : Directive.Escalate),
 * };
 * ```
 * @publicApi
 */
export interface SupervisionStrategy {
  /** Called for each failure. It must return at once; when it throws, the actor is stopped. */
  decide(failure: ActorFailure): Directive | SupervisionDecision;
}

/** @throws InvalidActorOptionError unless it has the method of a strategy */
export function assertStrategy(strategy: unknown, option: string): asserts strategy is SupervisionStrategy {
  if (typeof (strategy as SupervisionStrategy | null | undefined)?.decide === 'function') return;
  throw new InvalidActorOptionError(option, strategy, 'a supervision strategy, such as oneForOne()');
}

/** The directive that can be carried out: a restart in place of what the failure does not allow. */
export const possibleDirective = (directive: Directive, { canResume, canEscalate }: ActorFailure): Directive =>
  (directive === Directive.Resume && !canResume) || (directive === Directive.Escalate && !canEscalate)
    ? Directive.Restart
    : directive;
