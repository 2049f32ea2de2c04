import { InvalidActorOptionError } from '../errors/invalid-actor-option.error.js';
import { Directive } from './directive.js';

/** Returns nothing for errors that it has no answer for. @publicApi */
export type Decider = (error: unknown) => Directive | undefined;

/** Directives by error class. The first class that fits counts. */
type ErrorRules = readonly (readonly [type: abstract new (...args: never[]) => unknown, directive: Directive])[];

const DIRECTIVES: readonly unknown[] = Object.values(Directive);

/** The option `decide` as a function of the error. Restarts what the option has no answer for. */
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
