import { setTimeout as after } from 'node:timers/promises';

const POLL_MS = 50;

/** Asks again until the answer is neither false nor undefined. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | false | undefined> | T | false | undefined,
  timeoutMs: number,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== false && answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error(`Waited ${timeoutMs} ms for ${what}`);
    await after(POLL_MS);
  }
}
