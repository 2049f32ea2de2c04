/** CPU time of this process so far, in ms. It measures the cost of an operation even on a busy machine. */
export const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** CPU time of `work`, in ms. */
export async function cpuOf(work: () => void | Promise<void>): Promise<number> {
  const start = cpuMs();
  await work();
  return cpuMs() - start;
}

/** Heap in use after garbage collection, in bytes. */
export function heapInUse(): number {
  if (!globalThis.gc) throw new Error('node must be started with --expose-gc');
  for (let n = 0; n < 3; n++) globalThis.gc();
  return process.memoryUsage().heapUsed;
}
