const UNPRINTABLE = 'a value that cannot be printed';

/** For the log: with the stack, where there is one. Anything can be thrown, also what cannot be printed. */
export const textOf = (error: unknown): string => {
  try {
    return error instanceof Error && error.stack ? error.stack : String(error);
  } catch {
    return UNPRINTABLE;
  }
};

/** As `textOf`, in one line. */
export const messageOf = (error: unknown): string => {
  try {
    return error instanceof Error ? String(error.message) : String(error);
  } catch {
    return UNPRINTABLE;
  }
};
