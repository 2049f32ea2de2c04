import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';

const LIMIT_MS = 8_000;

/** Waits for an event on a real socket. */
export async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`did not come true: ${holds.toString()}`);
    await delay(1);
  }
}

/** Lets everything run that needs neither time nor input. */
export async function turns(count = 5): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn();
}

/** Whether the promise has already settled. */
export async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const done = () => (settled = true);
  promise.then(done, done);
  await turns();
  return settled;
}
