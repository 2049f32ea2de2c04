import { InvalidDataflowOptionError } from '../errors/invalid-dataflow-option.error.js';

declare const NANOSECONDS: unique symbol;

/**
 * A length of logical time, created by `span.ms(5)` and its siblings. At run time it is a plain number of nanoseconds,
 * but the compiler accepts neither a number as a span nor a span as a number of milliseconds. Spans compare with `<`,
 * `>` and `===`.
 *
 * @publicApi
 */
export interface Span {
  readonly [NANOSECONDS]: never;
}

/** Returns the span in nanoseconds, the unit of `Tag.time`. Costs nothing at run time. */
export const nanosecondsOf = (length: Span): number => length as unknown as number;

/** Whether a value can be a span, regardless of its type. */
export const isSpan = (value: unknown): value is Span => Number.isSafeInteger(value) && (value as number) >= 0;

function spanOf(call: string, amount: number, nanoseconds: number): Span {
  // 1.001 * 1e9 has a fraction that the caller did not write.
  const length = typeof amount === 'number' ? Math.round(amount * nanoseconds) : NaN;
  if (isSpan(length)) return length;
  throw new InvalidDataflowOptionError(call, amount, 'a number >= 0 of at most 104 days');
}

/**
 * Lengths of logical time, rounded to whole nanoseconds. Functions that create a span throw
 * `InvalidDataflowOptionError` for a negative amount and for more than 104 days.
 *
 * @example
 * ```ts
 * import { span } from '@roost/dataflow';
 *
 * const period = span.ms(500);
 * const grace = span.add(period, span.seconds(2));
 * console.log(grace > period, span.toMs(grace)); // true 2500
 * ```
 *
 * @publicApi
 */
export const span = Object.freeze({
  /** Nanoseconds. */
  ns: (amount: number): Span => spanOf('span.ns(amount)', amount, 1),
  /** Microseconds. */
  us: (amount: number): Span => spanOf('span.us(amount)', amount, 1e3),
  /** Milliseconds. */
  ms: (amount: number): Span => spanOf('span.ms(amount)', amount, 1e6),
  seconds: (amount: number): Span => spanOf('span.seconds(amount)', amount, 1e9),
  minutes: (amount: number): Span => spanOf('span.minutes(amount)', amount, 60e9),
  hours: (amount: number): Span => spanOf('span.hours(amount)', amount, 3600e9),
  add: (a: Span, b: Span): Span => spanOf('span.add(a, b)', nanosecondsOf(a) + nanosecondsOf(b), 1),
  scale: (length: Span, factor: number): Span => spanOf('span.scale(length, factor)', factor, nanosecondsOf(length)),
  /** Returns the number of nanoseconds, which is the unit of `Tag.time`. */
  toNs: nanosecondsOf,
  /** Returns the number of milliseconds, for timers and clocks. It may have a fraction. */
  toMs: (length: Span): number => nanosecondsOf(length) / 1e6,
});

const UNITS = [
  [3600e9, 'h'],
  [60e9, 'min'],
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'us'],
] as const;

/** Formats a span exactly, in the largest unit that needs at most three decimal places: `5 ms`, `1.5 s`, `250 ns`. */
export function formatSpan(nanoseconds: number): string {
  if (!Number.isFinite(nanoseconds)) return nanoseconds > 0 ? 'forever' : 'never';
  const [size, name] = UNITS.find(([size]) => nanoseconds >= size && isExact(nanoseconds, size)) ?? [1, 'ns'];
  return `${nanoseconds / size} ${name}`;
}

/** Large numbers have no precision left for three more digits. */
const isExact = (nanoseconds: number, size: number): boolean =>
  nanoseconds % (size / 1000) === 0 && Math.round((nanoseconds / size) * size) === nanoseconds;
