import { inspect } from 'node:util';

/** The text of any value. Never throws: a value may have no text, or throw when asked for it. */
export const textOf = (value: unknown): string => {
  try {
    return String(value);
  } catch {
    return 'a value that cannot be printed';
  }
};

/** The message of an error, or the text of any other thrown value. */
export const messageOf = (error: unknown): string => {
  try {
    return error instanceof Error ? String(error.message) : String(error);
  } catch {
    return textOf(error);
  }
};

/** The stack of an error where there is one, otherwise its message. For log lines. */
export const stackOf = (error: unknown): string => {
  try {
    return error instanceof Error && error.stack ? error.stack : textOf(error);
  } catch {
    return textOf(error);
  }
};

/** A wrong value as a message shows it: on one line and short, whatever it is. */
export const describeValue = (value: unknown): string =>
  inspect(value, { depth: 0, breakLength: Infinity, maxStringLength: 80, maxArrayLength: 10 }).slice(0, 200);
