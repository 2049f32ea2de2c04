import { setTimeout as after } from 'node:timers/promises';

/** Far longer than any step takes. */
const DEADLINE_MS = 15_000;
const PAUSE_MS = 10;

/** Polls until there is a result, and returns it. */
export async function until<T>(
  what: string,
  ask: () => T | Promise<T>,
  deadlineMs = DEADLINE_MS,
): Promise<Exclude<NonNullable<T>, false>> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer as Exclude<NonNullable<T>, false>;
    if (performance.now() > deadline) throw new Error(`Waited ${deadlineMs} ms for ${what}.`);
    await after(PAUSE_MS);
  }
}
