import { InvalidDataflowOptionError } from '../errors/invalid-dataflow-option.error.js';

declare const NANOSECONDS: unique symbol;

/** A length of logical time, in whole nanoseconds. Made by `ns()`, `us()`, `ms()`, `seconds()`, `minutes()` or `hours()`. @publicApi */
export type Span = number & { readonly [NANOSECONDS]: true };

const unit =
  (name: string, nanoseconds: number) =>
  (amount: number): Span => {
    // 1.001 * 1e9 has a fraction that nobody wrote.
    const span = typeof amount === 'number' ? Math.round(amount * nanoseconds) : NaN;
    if (!(span >= 0) || !Number.isSafeInteger(span)) {
      throw new InvalidDataflowOptionError(`${name}(amount)`, amount, 'a number >= 0 of at most 104 days');
    }
    return span as Span;
  };

/** Nanoseconds. @publicApi */
export const ns = unit('ns', 1);
/** Microseconds. @publicApi */
export const us = unit('us', 1e3);
/** Milliseconds. @publicApi */
export const ms = unit('ms', 1e6);
/** Seconds. @publicApi */
export const seconds = unit('seconds', 1e9);
/** Minutes. @publicApi */
export const minutes = unit('minutes', 60e9);
/** Hours. @publicApi */
export const hours = unit('hours', 3600e9);

const UNITS = [
  [3600e9, 'h'],
  [60e9, 'min'],
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'us'],
] as const;

/** Exactly, in the largest unit that needs no fraction below a thousandth: `5 ms`, `1.5 s`, `250 ns`. */
export function formatSpan(nanoseconds: number): string {
  if (!Number.isFinite(nanoseconds)) return nanoseconds > 0 ? 'forever' : 'never';
  const [size, name] = UNITS.find(([size]) => nanoseconds >= size && isExact(nanoseconds, size)) ?? [1, 'ns'];
  return `${nanoseconds / size} ${name}`;
}

/** Large numbers have no room for three more digits. */
const isExact = (nanoseconds: number, size: number): boolean =>
  nanoseconds % (size / 1000) === 0 && Math.round((nanoseconds / size) * size) === nanoseconds;
