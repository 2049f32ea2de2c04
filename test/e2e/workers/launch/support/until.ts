import { setTimeout as after } from 'node:timers/promises';

/** Far above what anything takes. */
const DEADLINE_MS = 15_000;
const PAUSE_MS = 10;

/** Asks again and again until there is an answer, and returns it. */
export async function until<T>(what: string, ask: () => T | Promise<T>): Promise<NonNullable<T>> {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (performance.now() > deadline) throw new Error(`Waited ${DEADLINE_MS} ms for ${what}.`);
    await after(PAUSE_MS);
  }
}
