/** Starting a process takes most of the time of a case. More than a few at once only slow each other down. */
const AT_ONCE = 3;
const queue: (() => void)[] = [];
let running = 0;

/** Runs the function when fewer than this many others are running. */
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
