import { assertTimeoutMs, parseDuration } from '@roost/time';
import { InvalidWorkerOptionError } from './errors/invalid-worker-option.error.js';

interface Limits {
  least?: number;
  most?: number;
  above?: number;
  whole?: boolean;
  /** Whether `Infinity` is a number too. */
  endless?: boolean;
}

/** @throws InvalidWorkerOptionError unless it is a number within the limits */
export function assertNumber(value: unknown, option: string, limits: Limits): asserts value is number {
  const { least = -Infinity, most = Infinity, above = -Infinity, whole = false, endless = false } = limits;
  if (endless && value === Infinity) return;
  const fits =
    typeof value === 'number' &&
    Number.isFinite(value) &&
    (!whole || Number.isInteger(value)) &&
    value >= least &&
    value <= most &&
    value > above;
  if (fits) return;
  const bounds = [
    above > -Infinity && `> ${above}`,
    least > -Infinity && `>= ${least}`,
    most < Infinity && `<= ${most}`,
  ].filter(Boolean);
  const expected = `a ${whole ? 'whole ' : ''}number ${bounds.join(' and ')}${endless ? ', or Infinity' : ''}`;
  throw new InvalidWorkerOptionError(option, value, expected);
}

/** @throws InvalidWorkerOptionError unless a timer can wait for it */
export function assertTimeout(value: unknown, option: string): asserts value is number {
  try {
    assertTimeoutMs(value, option);
  } catch (cause) {
    throw new InvalidWorkerOptionError(option, value, 'a number of milliseconds > 0 and < 2^31', { cause });
  }
}

/** Names show up in logs, in errors and in the environment of processes. */
export function assertName(value: unknown, option: string): asserts value is string {
  if (typeof value === 'string' && /^[A-Za-z][\w.-]{0,63}$/.test(value)) return;
  const expected = 'a name that begins with a letter, of letters, digits, ".", "_" and "-", 64 characters at most';
  throw new InvalidWorkerOptionError(option, value, expected);
}

/** Misspelt options would otherwise be ignored until the day they are needed. */
export function assertKnownKeys(options: unknown, known: readonly string[], where: string): asserts options is object {
  if (typeof options !== 'object' || options === null) {
    throw new InvalidWorkerOptionError(where, options, 'an object');
  }
  for (const [key, value] of Object.entries(options)) {
    if (known.includes(key)) continue;
    const expected = `left out: there is no such option. Known: ${known.join(', ')}`;
    throw new InvalidWorkerOptionError(`${where}.${key}`, value, expected);
  }
}

/** A duration from the environment, if the variable is set. */
export function durationFromEnv(variable: string, env: NodeJS.ProcessEnv = process.env): number | undefined {
  const text = env[variable];
  if (text === undefined || text === '') return undefined;
  try {
    const ms = parseDuration(text);
    assertTimeout(ms, variable);
    return ms;
  } catch (cause) {
    throw new InvalidWorkerOptionError(variable, text, 'milliseconds > 0, or a duration such as "10s"', { cause });
  }
}
