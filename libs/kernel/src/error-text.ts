import { inspect } from 'node:util';

/** Returns the text of any value. Never throws, although a value may have no text or throw when converted. */
export const textOf = (value: unknown): string => {
  try {
    return String(value);
  } catch {
    return 'a value that cannot be printed';
  }
};

/** Returns the message of an error, or the text of any other thrown value. */
export const messageOf = (error: unknown): string => {
  try {
    return error instanceof Error ? String(error.message) : String(error);
  } catch {
    return textOf(error);
  }
};

/** Returns the stack of an error if it has one, otherwise its text. For log lines. */
export const stackOf = (error: unknown): string => {
  try {
    return error instanceof Error && error.stack ? error.stack : textOf(error);
  } catch {
    return textOf(error);
  }
};

/** Formats an invalid value for a message: short and on one line, whatever it is. */
export const describeValue = (value: unknown): string =>
  inspect(value, { depth: 0, breakLength: Infinity, maxStringLength: 80, maxArrayLength: 10 }).slice(0, 200);
