/** Time in ms before a case fails: far longer than any step takes, and shorter than the drain's own limit. */
export const PATIENCE_MS = 8_000;

/** Rejects with a description when the promise takes too long. Leaves no timer running. */
export async function before<T>(promise: Promise<T>, what: string, limitMs = PATIENCE_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Waited ${limitMs} ms for ${what}.`)), limitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
