/** Maximum depth to follow causes, because they may form a cycle. */
const DEEPEST = 8;

/**
 * Returns whether an error only reports that a signal aborted with this reason: it is the reason, or was caused by it.
 * An `AbortError` without a cause counts too, because many libraries do not set one.
 */
export function isNormalEnding(error: unknown, reason: unknown): boolean {
  try {
    // Avoids `instanceof Error`, because Node's errors may come from another realm.
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
