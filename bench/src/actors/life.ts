/**
 * One run of one contender in its own process: `life.js <task> <contender>` prints a `LifeReport` as JSON. If a process
 * ran several libraries, Node would compile code for all of them.
 */
import { median } from '../harness.js';
import type { Contender } from './contender.js';
import { type ContenderName, loadContender } from './contenders.js';
import { cpuOf } from './cpu.js';
import { gapUnderBacklog, gapUnderPingPong } from './gaps.js';
import { bytesPerActor, growthByChurn, lifeCost } from './populations.js';
import { overlaps, type Workload, WORKLOADS, type WorkloadName } from './workloads.js';

/** The measured values by name. Empty for a contender that does not support the task. */
export interface LifeReport {
  values: Record<string, number>;
  /** Number of operations, if fewer than for the others. */
  reducedTo?: number;
  /** Whether asynchronous handlers of one actor run concurrently. */
  overlaps?: boolean;
}

const WARM_UP = 3;
const ROUNDS = 7;
/** Slow contenders get fewer rounds. */
const MOST_MS = 1_000;
const ACTORS = 100_000;
const MANY_ACTORS = 1_000_000;

async function runWorkload(name: WorkloadName, contender: Contender): Promise<LifeReport> {
  const { prepare, operations: all, sameActors }: Workload = WORKLOADS[name];
  const operations = Math.round(all * (contender.share ?? 1));
  const start = performance.now();
  const costs: number[] = [];
  let round: Awaited<ReturnType<typeof prepare>>;
  for (let n = 0; n < WARM_UP + ROUNDS; n++) {
    if (!round || !sameActors) round = await prepare(contender, operations);
    if (!round) return { values: {} };
    // Moves the objects of the preparation to old space now, so that the round does not pay for it.
    for (let n = 0; n < 2; n++) globalThis.gc?.({ type: 'minor' });
    const cost = await cpuOf(round);
    const late = performance.now() - start > MOST_MS;
    if (n >= WARM_UP || late) costs.push((cost * 1e6) / operations);
    if (late) break;
  }
  return {
    values: { ns: median(costs) },
    ...(operations < all && { reducedTo: operations }),
    ...(name === 'async' && (await overlaps(contender)) && { overlaps: true }),
  };
}

const TASKS = {
  backlogGap: async (contender) => {
    const ms = await gapUnderBacklog(contender);
    return { values: { ...(ms !== undefined && { ms }) } };
  },
  pingPongGap: async (contender) => ({ values: { ms: await gapUnderPingPong(contender) } }),
  population: async (contender) => {
    const count = ACTORS * (contender.share ?? 1);
    const bytes = await bytesPerActor(contender, count);
    const cost = await lifeCost(contender, count);
    if (!bytes || !cost) return { values: {} };
    const values = { ...cost, fresh: bytes.fresh, ...(bytes.used !== null && { used: bytes.used }) };
    return { values, ...(count < ACTORS && { reducedTo: count }) };
  },
  growth: async (contender): Promise<LifeReport> => {
    const few = await lifeCost(contender, ACTORS);
    const many = await lifeCost(contender, MANY_ACTORS, 2);
    if (!few || !many) return { values: {} };
    return { values: { spawn: many.spawn / few.spawn, stop: many.stop / few.stop } };
  },
  churn: async (contender) => {
    const kB = await growthByChurn(contender);
    return { values: { ...(kB !== undefined && { kB }) } };
  },
} satisfies Record<string, (contender: Contender) => Promise<LifeReport>>;

export type TaskName = keyof typeof TASKS | WorkloadName;

const [task, name] = process.argv.slice(2) as [TaskName, ContenderName];
const contender = await loadContender(name);
const report =
  task in TASKS
    ? await TASKS[task as keyof typeof TASKS](contender)
    : await runWorkload(task as WorkloadName, contender);
process.stdout.write(JSON.stringify(report), () => process.exit());
