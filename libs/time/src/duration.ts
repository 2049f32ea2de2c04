import { InvalidDurationError } from './errors/invalid-duration.error.js';

const UNIT_MS = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;
type Unit = keyof typeof UNIT_MS;

/**
 * Marks a plain number as milliseconds.
 *
 * @throws InvalidDurationError unless `n` is a finite number >= 0.
 * @publicApi
 */
export function ms(n: number): number {
  return toMs(n, 'ms', 'ms(n)');
}

/**
 * Converts seconds to ms: `seconds(1.5)` is 1500.
 *
 * @throws InvalidDurationError unless `n` is a finite number >= 0.
 * @publicApi
 */
export function seconds(n: number): number {
  return toMs(n, 's', 'seconds(n)');
}

/**
 * Converts minutes to ms: `minutes(2)` is 120000.
 *
 * @throws InvalidDurationError unless `n` is a finite number >= 0.
 * @publicApi
 */
export function minutes(n: number): number {
  return toMs(n, 'm', 'minutes(n)');
}

/**
 * Converts hours to ms: `hours(1)` is 3600000.
 *
 * @throws InvalidDurationError unless `n` is a finite number >= 0.
 * @publicApi
 */
export function hours(n: number): number {
  return toMs(n, 'h', 'hours(n)');
}

/**
 * Parses a duration, for example from an env variable. Accepts a plain number of ms (`'250'`) or amounts with the units
 * `h`, `m`, `s` and `ms`, largest first and each at most once: `'250ms'`, `'1.5s'`, `'1h30m'`. Spaces between amounts
 * and units are ignored, so it also parses the output of `formatDuration`. Signs, exponents and upper case are not
 * allowed.
 *
 * @example
 * ```ts
 * import { parseDuration } from '@roost/time';
 *
 * const timeoutMs = parseDuration(process.env.HTTP_TIMEOUT ?? '2.5s');
 * console.log(timeoutMs); // 2500
 * ```
 *
 * @returns milliseconds, finite and >= 0.
 * @throws InvalidDurationError for any other text, and for `undefined`, the value of an unset env variable.
 * @publicApi
 */
export function parseDuration(text: string): number {
  const total = typeof text === 'string' ? sumOfParts(text.trim()) : undefined;
  if (total !== undefined && Number.isFinite(total)) return total;
  throw new InvalidDurationError(
    'duration',
    text,
    'a duration',
    "Write '250ms', '1.5s', '2m', '1h', '1h30m' or a plain number of milliseconds such as '250'.",
  );
}

/**
 * Formats a duration for a log line: `'0.4 ms'`, `'12 ms'`, `'1.25 s'`, `'2 m 5 s'`, `'1 h 30 m'`. Rounds to 0.1 ms
 * below 10 ms, to 1 ms below a second, to 10 ms below a minute and to a second above. Parsing the result with
 * `parseDuration` and formatting it again gives the same text.
 *
 * Never throws, because a log line should not: `Infinity` is `'forever'`, and a negative duration gets a minus sign.
 *
 * @example
 * ```ts
 * import { formatDuration, minutes } from '@roost/time';
 *
 * console.log(formatDuration(minutes(1.5))); // 1 m 30 s
 * ```
 *
 * @publicApi
 */
export function formatDuration(ms: number): string {
  // Round first, then pick the unit: 999.7 must become '1 s', not '1000 ms'.
  const tenthsOfMs = Math.round(ms * 10);
  if (tenthsOfMs < 0) return `-${formatDuration(-ms)}`;
  if (ms === Infinity) return 'forever';
  if (Number.isNaN(ms)) return 'NaN ms';
  if (tenthsOfMs < 100) return `${tenthsOfMs / 10} ms`;
  const wholeMs = Math.round(ms);
  if (wholeMs < 1000) return `${wholeMs} ms`;
  const hundredthsOfSecond = Math.round(ms / 10);
  if (hundredthsOfSecond < 6000) return `${hundredthsOfSecond / 100} s`;

  const wholeSeconds = Math.round(ms / 1000);
  const parts = [
    [Math.floor(wholeSeconds / 3600), 'h'],
    [Math.floor(wholeSeconds / 60) % 60, 'm'],
    [wholeSeconds % 60, 's'],
  ] as const;
  return parts
    .filter(([amount]) => amount !== 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(' ');
}

/**
 * Rejects values that no timer supports. Zero is allowed.
 *
 * @internal
 */
export function assertDuration(value: unknown, option: string): asserts value is number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return;
  throw new InvalidDurationError(option, value, 'a finite number >= 0', 'Write a number such as 250.');
}

function toMs(amount: number, unit: Unit, option: string): number {
  assertDuration(amount, option);
  const result = inMs(amount, unit);
  assertDuration(result, option);
  return result;
}

function inMs(amount: number, unit: Unit): number {
  // 1.001 * 1000 is 1000.9999999999999; 15 digits are what a double holds without such noise.
  return unit === 'ms' ? amount : Number((amount * UNIT_MS[unit]).toPrecision(15));
}

function sumOfParts(text: string): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);

  const part = /(\d+(?:\.\d+)?)\s*(h|ms|m|s)\s*/y;
  let total: number | undefined;
  let previousUnitMs = Infinity;
  while (part.lastIndex < text.length) {
    const [, amount, unit] = part.exec(text) ?? [];
    if (!isUnit(unit) || UNIT_MS[unit] >= previousUnitMs) return undefined;
    total = (total ?? 0) + inMs(Number(amount), unit);
    previousUnitMs = UNIT_MS[unit];
  }
  return total;
}

function isUnit(text: string | undefined): text is Unit {
  return text !== undefined && Object.hasOwn(UNIT_MS, text);
}
