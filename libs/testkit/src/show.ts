import { inspect } from 'node:util';

const LONGEST_LIST = 10;

/** A message as an error shows it: its class and what is in it, on one line. */
export const show = (value: unknown): string =>
  inspect(value, { depth: 3, breakLength: Infinity, maxStringLength: 200, maxArrayLength: 20, sorted: false });

/** Several of them; of many the first ones. */
export const showList = (values: readonly unknown[], showOne: (value: never) => string = show): string => {
  const shown = values.slice(0, LONGEST_LIST).map((value) => showOne(value as never));
  const more = values.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
};

/** Anything can be thrown, also what cannot be printed. */
export const showError = (error: unknown): string => {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : show(error);
  } catch {
    return 'a value that cannot be printed';
  }
};
