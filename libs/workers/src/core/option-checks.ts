import { type OptionChecks, optionChecks } from '@roost/kernel';
import { assertTimeoutMs, parseDuration } from '@roost/time';
import { InvalidWorkerOptionError } from './errors/invalid-worker-option.error.js';

export const check: OptionChecks = optionChecks(
  (option, value, expected, options) => new InvalidWorkerOptionError(option, value, expected, options),
);

/** @throws InvalidWorkerOptionError */
export function assertFunction(value: unknown, option: string): void {
  if (typeof value !== 'function') throw new InvalidWorkerOptionError(option, value, 'a function');
}

/** Checks a name, which appears in logs, errors and the environment of children. @throws InvalidWorkerOptionError */
export function assertWorkerName(value: unknown, option: string): asserts value is string {
  if (typeof value === 'string' && /^[A-Za-z][\w.-]{0,63}$/.test(value)) return;
  const expected = 'a name of at most 64 characters: a letter, then letters, digits, ".", "_" or "-"';
  throw new InvalidWorkerOptionError(option, value, expected);
}

/**
 * Reads a duration from the environment. Returns undefined when the variable is unset. @throws InvalidWorkerOptionError
 */
export const durationFromEnv = (variable: string, env: NodeJS.ProcessEnv): number | undefined =>
  check.fromEnv(variable, env, parseTimeout, 'a number of milliseconds > 0, or a duration such as "10s"');

function parseTimeout(text: string): number {
  const ms = parseDuration(text);
  assertTimeoutMs(ms, text);
  return ms;
}
