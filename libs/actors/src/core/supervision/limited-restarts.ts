import { formatDuration } from '@roost/time';
import { check } from '../option-checks.js';
import { backoffDelayMs, type BackoffOptions, resolveBackoff } from './backoff.js';
import { type Decider, deciderOf } from './decider.js';
import { Directive } from './directive.js';
import { type ActorFailure, possibleDirective, type SupervisionDecision } from './strategy.js';

/** Options of `oneForOne()` and `allForOne()`. @publicApi */
export interface SupervisionOptions {
  /** Restarts allowed within `windowMs`, counted per actor. The next failure stops the actor. @default 10 */
  maxRetries?: number;
  /** Period for `maxRetries`, in ms. @default 60_000 */
  windowMs?: number;
  /**
   * Directives by error class, first match first: `[[ValidationError, Directive.Resume], [DatabaseError,
   * Directive.Stop]]`. Or a function of the error. Errors without a match lead to a restart. @default restarts on every
   * error
   */
  decide?: Decider | readonly (readonly [type: abstract new (...args: never[]) => unknown, directive: Directive])[];
  /** Delay before each restart. @default no delay */
  backoff?: BackoffOptions;
}

const KEYS = ['maxRetries', 'windowMs', 'decide', 'backoff'];

/** The common part of the strategies: selects a directive by error, limits the number of restarts, and delays them. */
export function limitedRestarts(
  options: SupervisionOptions,
  where: string,
): (failure: ActorFailure) => SupervisionDecision {
  check.knownKeys(options, KEYS, where);
  const { maxRetries = 10, windowMs = 60_000 } = options;
  check.number(maxRetries, `${where}.maxRetries`, { least: 0, whole: true, endless: true });
  check.number(windowMs, `${where}.windowMs`, { above: 0, endless: true });
  const backoff = options.backoff && resolveBackoff(options.backoff, where);
  const decide = deciderOf(options.decide, where);

  return (failure) => {
    const directive = possibleDirective(decide(failure.error), failure);
    if (directive !== Directive.Restart) return { directive };
    const { restarts, random } = failure;
    if (maxRetries !== Infinity && restarts.within(windowMs) >= maxRetries) {
      const reason = `more than ${maxRetries} restarts within ${formatDuration(windowMs)}`;
      return { directive: Directive.Stop, reason };
    }
    const delayMs = backoff ? backoffDelayMs(backoff, restarts.inARow(backoff.resetAfterMs), random) : 0;
    return { directive, delayMs };
  };
}
