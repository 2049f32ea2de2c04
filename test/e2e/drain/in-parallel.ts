/** Starting a process takes most of a case's time; more than a few at once only get in each other's way. */
const AT_ONCE = 3;
const queue: (() => void)[] = [];
let running = 0;

/** Runs it when fewer than a few others run. */
export async function inParallel<T>(run: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => queue.push(resolve));
  else running++;
  try {
    return await run();
  } finally {
    const next = queue.shift();
    if (next) next();
    else running--;
  }
}
