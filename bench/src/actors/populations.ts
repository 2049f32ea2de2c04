import { median } from '../harness.js';
import type { Contender } from './contender.js';
import { cpuOf, heapInUse } from './cpu.js';

const ROUNDS = 5;
/** Slow contenders get fewer rounds. */
const MOST_MS = 4_000;
/** Index of an actor in the list. */
const POINTER_BYTES = 8;
const WAVE = 1_000;
const WAVES = 1_000;

/** CPU time per actor in µs. */
export interface LifeCost {
  spawn: number;
  stop: number;
}

export async function lifeCost(contender: Contender, count: number, rounds = ROUNDS): Promise<LifeCost | undefined> {
  const population = await contender.population?.();
  if (!population) return undefined;
  const spawn: number[] = [];
  const stop: number[] = [];
  const start = performance.now();
  for (let round = 0; round <= rounds && (round < 2 || performance.now() - start < MOST_MS); round++) {
    const costs = [await cpuOf(() => population.spawn(count)), await cpuOf(() => population.stop())];
    // The garbage of the previous round belongs to that round.
    heapInUse();
    if (round === 0) continue;
    spawn.push((1_000 * costs[0]!) / count);
    stop.push((1_000 * costs[1]!) / count);
  }
  return { spawn: median(spawn), stop: median(stop) };
}

/** Heap per actor in bytes, before its first message and after it. */
export async function bytesPerActor(
  contender: Contender,
  count: number,
): Promise<{ fresh: number; used: number | null } | undefined> {
  const population = await contender.population?.();
  if (!population) return undefined;
  await population.spawn(WAVE);
  await population.touch?.();
  await population.stop();
  const before = heapInUse();
  const perActor = (): number => (heapInUse() - before) / count - POINTER_BYTES;
  await population.spawn(count);
  const fresh = perActor();
  await population.touch?.();
  const used = population.touch ? perActor() : null;
  await population.stop();
  return { fresh, used };
}

/** Heap growth in kB after a million actors were spawned and stopped. */
export async function growthByChurn(contender: Contender): Promise<number | undefined> {
  const population = await contender.population?.();
  if (!population) return undefined;
  const churn = async (waves: number): Promise<number> => {
    for (let wave = 0; wave < waves; wave++) {
      await population.spawn(WAVE);
      await population.stop();
    }
    return heapInUse();
  };
  const before = await churn(WAVES / 10);
  return ((await churn(WAVES)) - before) / 1_024;
}
