/**
 * Whether `await` would do more than hand the value back. A value whose `then` cannot be read counts: awaiting it fails.
 * Pass what this returns true for to `Promise.resolve()`, and never call its `then` directly.
 */
export const isThenable = (value: unknown): value is PromiseLike<unknown> => {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
  try {
    return typeof (value as { then?: unknown }).then === 'function';
  } catch {
    return true;
  }
};
