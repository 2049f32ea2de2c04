import { InvalidActorOptionError } from '../errors/invalid-actor-option.error.js';
import { Directive } from './directive.js';

/** Returns the directive for an error, or nothing to restart the actor. @publicApi */
export type Decider = (error: unknown) => Directive | undefined;

/** Directives by error class. The first match applies. */
type ErrorRules = readonly (readonly [type: abstract new (...args: never[]) => unknown, directive: Directive])[];

const DIRECTIVES: readonly unknown[] = Object.values(Directive);

/** Turns the option `decide` into a function of the error. Errors without a match lead to a restart. */
export function deciderOf(decide: Decider | ErrorRules | undefined, where: string): (error: unknown) => Directive {
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
  const rules = decide as ErrorRules;
  for (const rule of rules) {
    if (!Array.isArray(rule) || typeof rule[0] !== 'function') {
      throw new InvalidActorOptionError(`${where}.decide`, rule, 'a pair [ErrorClass, Directive]');
    }
    assertDirective(rule[1], `${where}.decide of ${rule[0].name}`);
  }
  return (error) => rules.find(([type]) => error instanceof type)?.[1] ?? Directive.Restart;
}

/** @throws InvalidActorOptionError */
export function assertDirective(directive: unknown, where: string): asserts directive is Directive {
  if (DIRECTIVES.includes(directive)) return;
  throw new InvalidActorOptionError(where, directive, `one of ${DIRECTIVES.join(', ')}`);
}
