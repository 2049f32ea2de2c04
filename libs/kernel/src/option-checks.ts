import { inspect } from 'node:util';
import { describeValue } from './error-text.js';

/** Longest delay of Node's `setTimeout` in ms, about 24.8 days. For a longer delay Node fires after 1 ms. @publicApi */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Message for every invalid option. `expected` is a noun phrase without a full stop: `a number > 0`. */
export const invalidOptionText = (subject: string, option: string, value: unknown, expected: string): string =>
  `${subject} option \`${option}\` is ${describeValue(value)}, but must be ${expected}.`;

/** Creates a lib's error for an invalid option. */
export type InvalidOption = (option: string, value: unknown, expected: string, options?: ErrorOptions) => Error;

/** Bounds of a number. All given bounds must hold. */
export interface NumberLimits {
  least?: number;
  most?: number;
  above?: number;
  whole?: boolean;
  /** Whether `Infinity` is allowed, too. @default false */
  endless?: boolean;
}

/** Option checks of a lib. Each throws that lib's error, which names the option. */
export interface OptionChecks {
  /** Rejects misspelled options, which would be ignored silently otherwise. `where` prefixes their names. */
  knownKeys(options: unknown, known: readonly string[], where?: string): asserts options is object;
  object(value: unknown, option: string): asserts value is object;
  list(value: unknown, option: string): asserts value is readonly unknown[];
  boolean(value: unknown, option: string): asserts value is boolean;
  text(value: unknown, option: string): asserts value is string;
  oneOf<T>(value: unknown, allowed: readonly T[], option: string): asserts value is T;
  number(value: unknown, option: string, limits?: NumberLimits): asserts value is number;
  /** Accepts a number of milliseconds that a timer supports, above 0 unless `least` is 0. */
  timeout(value: unknown, option: string, limits?: { least?: 0 }): asserts value is number;
  /** Returns the parsed environment variable, or undefined if it is not set. An error of `parse` becomes the cause. */
  fromEnv<T>(variable: string, env: NodeJS.ProcessEnv, parse: (text: string) => T, expected: string): T | undefined;
}

const TIMEOUT: NumberLimits = { above: 0, most: MAX_TIMEOUT_MS };
const TIMEOUT_OR_ZERO: NumberLimits = { least: 0, most: MAX_TIMEOUT_MS };

/** Stands in for the value of an unknown option, which may be a secret. */
const HIDDEN = { [inspect.custom]: () => 'set' };

/**
 * Creates the option checks of one lib. Annotate the constant, as in the example, or TypeScript does not narrow types.
 *
 * @example
 * ```ts
 * import { optionChecks, type OptionChecks } from '@roost/kernel';
 *
 * const check: OptionChecks = optionChecks(
 *   (option, value, expected) => new TypeError(`${option} is ${String(value)}, but must be ${expected}.`),
 * );
 *
 * export function connect(options: { timeoutMs?: number }): void {
 *   check.knownKeys(options, ['timeoutMs'], 'connect');
 *   check.timeout(options.timeoutMs ?? 5_000, 'timeoutMs');
 * }
 * ```
 */
export function optionChecks(invalid: InvalidOption): OptionChecks {
  const expect = (fits: boolean, value: unknown, option: string, expected: string): void => {
    if (!fits) throw invalid(option, value, expected);
  };

  return {
    knownKeys(options, known, where = 'options') {
      expect(typeof options === 'object' && options !== null, options, where, 'an object');
      for (const key of Object.keys(options as object)) {
        if (known.includes(key)) continue;
        const name = where === 'options' ? key : `${where}.${key}`;
        throw invalid(name, HIDDEN, `removed: there is no such option. Valid options: ${known.join(', ')}`);
      }
    },

    object: (value, option) => expect(typeof value === 'object' && value !== null, value, option, 'an object'),
    list: (value, option) => expect(Array.isArray(value), value, option, 'a list'),
    boolean: (value, option) => expect(typeof value === 'boolean', value, option, 'true or false'),
    text: (value, option) => expect(typeof value === 'string', value, option, 'a string'),

    oneOf(value, allowed, option) {
      const expected = `one of ${allowed.map((one) => JSON.stringify(one)).join(', ')}`;
      expect((allowed as readonly unknown[]).includes(value), value, option, expected);
    },

    // Runs for every timer and `ask`, so the text is built only for an error.
    number(value, option, limits = {}) {
      if (!isWithin(value, limits)) throw invalid(option, value, describeLimits(limits));
    },

    timeout(value, option, { least } = {}) {
      if (isWithin(value, least === 0 ? TIMEOUT_OR_ZERO : TIMEOUT)) return;
      throw invalid(option, value, `a number of milliseconds ${least === 0 ? '>=' : '>'} 0 and < 2^31`);
    },

    fromEnv(variable, env, parse, expected) {
      const text = env[variable];
      if (text === undefined || text === '') return undefined;
      try {
        return parse(text);
      } catch (cause) {
        throw invalid(variable, text, expected, { cause });
      }
    },
  };
}

function isWithin(value: unknown, { least, most, above, whole, endless }: NumberLimits): boolean {
  if (endless && value === Infinity) return true;
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  if (whole && !Number.isInteger(value)) return false;
  return value >= (least ?? -Infinity) && value <= (most ?? Infinity) && value > (above ?? -Infinity);
}

function describeLimits({ least, most, above, whole, endless }: NumberLimits): string {
  const bounds = [
    above !== undefined && `> ${above}`,
    least !== undefined && `>= ${least}`,
    most !== undefined && `<= ${most}`,
  ].filter((bound) => bound !== false);
  const number = [`a ${whole ? 'whole' : 'finite'} number`, bounds.join(' and ')].filter(Boolean).join(' ');
  return endless ? `${number}, or Infinity` : number;
}

/** Removes undefined options, because an option set to undefined counts as not given. */
export const withoutUndefined = <T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
