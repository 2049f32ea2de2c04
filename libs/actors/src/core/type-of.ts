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

/** What kind of message it is, for logs: messages may hold secrets, their class does not. */
export const typeOf = (message: unknown): string => {
  if (typeof message !== 'object' || message === null) return typeof message;
  try {
    const type = (Object.getPrototypeOf(message) as object | null)?.constructor?.name;
    const tag: unknown = (message as { type?: unknown }).type;
    return type === 'Object' && typeof tag === 'string' ? `Object of type "${tag.slice(0, 80)}"` : type || 'Object';
  } catch {
    return UNPRINTABLE;
  }
};
