import { inspect } from 'node:util';

/** A wrong value as a message shows it: short, whatever it is. JSON cannot show NaN, bigints or circles. */
export const describeValue = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value) : inspect(value, { depth: 0, breakLength: Infinity });
