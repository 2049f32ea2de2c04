/** Whether `await` would wait for it. A `then` that cannot even be read is none. */
export const isThenable = (value: unknown): value is PromiseLike<unknown> => {
  if (value === null || typeof value !== 'object') return false;
  try {
    return typeof (value as { then?: unknown }).then === 'function';
  } catch {
    return false;
  }
};
