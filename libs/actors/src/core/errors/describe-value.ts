import { inspect } from 'node:util';

/** A wrong value as a message shows it: short, whatever it is. */
export const describeValue = (value: unknown): string =>
  typeof value === 'string'
    ? JSON.stringify(value)
    : inspect(value, { depth: 0, breakLength: Infinity, maxStringLength: 80 });
