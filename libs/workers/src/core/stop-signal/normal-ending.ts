/** Causes are followed so far, for they may go round in a circle. */
const DEEPEST = 8;

/**
 * Whether an error only says that a signal aborted with this reason: it is the reason, or was caused by it. An
 * `AbortError` without a cause is taken for one, as many libraries do not tell.
 */
export function isNormalEnding(error: unknown, reason: unknown): boolean {
  try {
    // Not `instanceof Error`: errors of Node may come from another realm.
    let current = error as { name?: unknown; cause?: unknown } | null | undefined;
    for (let depth = 0; depth < DEEPEST && typeof current === 'object' && current !== null; depth++) {
      if (current === reason) return true;
      if (current.cause === undefined) return current.name === 'AbortError';
      current = current.cause;
    }
  } catch {
    // An error that cannot be looked at is not one of ours.
  }
  return false;
}
