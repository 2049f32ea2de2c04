/**
 * Whether `await` would do more than return the value. A value whose `then` cannot be read counts, because awaiting it
 * fails. If this returns true, pass the value to `Promise.resolve()` and never call its `then` directly.
 */
export const isThenable = (value: unknown): value is PromiseLike<unknown> => {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
  try {
    return typeof (value as { then?: unknown }).then === 'function';
  } catch {
    return true;
  }
};
