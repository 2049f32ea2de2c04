import { inspect } from 'node:util';

const LONGEST_LIST = 10;

/** Formats a message for an error: its class and contents on one line. */
export const show = (value: unknown): string =>
  inspect(value, { depth: 3, breakLength: Infinity, maxStringLength: 200, maxArrayLength: 20, sorted: false });

/** Formats a list of values, cut after the first ones. */
export const showList = (values: readonly unknown[], showOne: (value: never) => string = show): string => {
  const shown = values.slice(0, LONGEST_LIST).map((value) => showOne(value as never));
  const more = values.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
};

/** Formats an error. Anything can be thrown, even values that cannot be printed. */
export const showError = (error: unknown): string => {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : show(error);
  } catch {
    return 'a value that cannot be printed';
  }
};
