/** Returns the class or type of a message for logs. Its contents may be secret. */
export const typeOf = (message: unknown): string => {
  if (typeof message !== 'object' || message === null) return typeof message;
  try {
    const type = (Object.getPrototypeOf(message) as object | null)?.constructor?.name;
    const tag: unknown = (message as { type?: unknown }).type;
    return type === 'Object' && typeof tag === 'string' ? `Object of type "${tag.slice(0, 80)}"` : type || 'Object';
  } catch {
    return 'a value that cannot be printed';
  }
};
