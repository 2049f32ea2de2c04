/** Anything can be thrown, also what has no text or throws when asked for it. */
export const textOf = (value: unknown): string => {
  try {
    return String(value);
  } catch {
    return 'a value that cannot be printed';
  }
};

export const messageOf = (error: unknown): string => {
  try {
    return error instanceof Error ? String(error.message) : String(error);
  } catch {
    return textOf(error);
  }
};

/** For the log: with the stack, where there is one. */
export const stackOf = (error: unknown): string => {
  try {
    return error instanceof Error && error.stack ? error.stack : messageOf(error);
  } catch {
    return messageOf(error);
  }
};
