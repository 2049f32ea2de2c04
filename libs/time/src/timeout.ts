import { MAX_TIMEOUT_MS } from '@roost/kernel';
import { InvalidDurationError } from './errors/invalid-duration.error.js';

/**
 * Rejects any value that is not a number of ms > 0 and <= `MAX_TIMEOUT_MS`. Call it where options are read, so that a
 * bad timeout fails at boot and not when the timeout is first needed.
 *
 * @example
 * ```ts
 * import { assertTimeoutMs } from '@roost/time';
 *
 * export function connect(options: { timeoutMs?: number } = {}): void {
 *   const { timeoutMs = 5_000 } = options;
 *   assertTimeoutMs(timeoutMs, 'connect.timeoutMs');
 * }
 * ```
 *
 * @param option name of the option as the user wrote it, for the message: `'drain.timeoutMs'`.
 * @throws InvalidDurationError, which names the option, the value and a valid replacement.
 * @publicApi
 */
export function assertTimeoutMs(value: unknown, option: string): asserts value is number {
  if (typeof value === 'number' && value > 0 && value <= MAX_TIMEOUT_MS) return;
  throw new InvalidDurationError(
    option,
    value,
    `a number of milliseconds > 0 and <= ${MAX_TIMEOUT_MS}`,
    'Write a number such as 5000 or seconds(5); pass text from an env variable through parseDuration() first.',
  );
}
