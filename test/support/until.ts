import { setTimeout as after } from 'node:timers/promises';

/** Far above what anything takes. */
const DEADLINE_MS = 15_000;
const PAUSE_MS = 10;

/** Asks again and again until there is an answer, and returns it. */
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
