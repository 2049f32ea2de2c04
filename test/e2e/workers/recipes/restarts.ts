import { setTimeout as after } from 'node:timers/promises';
import { Random } from '../../../soak/random.js';
import type { Plan } from './fixtures/plan.js';
import { launch, stop } from './recipe-app.js';
import type { WorkLog } from './work-log.js';

export interface Restarts {
  app: Plan['app'];
  env: Plan['env'];
  log: WorkLog;
  seed: number;
  /** When it returns true, the running processes are stopped for good. */
  isDone(): boolean | Promise<boolean>;
}

const CONSUMERS = 2;
/** Far longer than needed. When it expires, something was lost, and the remaining data can be inspected. */
const LIMIT_MS = 60_000;

/**
 * Runs two consumers, each stopped and restarted at random moments until all orders are done. Returns all exit codes.
 */
export async function restartAtRandom(options: Restarts): Promise<(number | null)[]> {
  const seeds = Array.from({ length: CONSUMERS }, (_, consumer) => options.seed + consumer);
  return (await Promise.all(seeds.map((seed) => liveAndDie(options, new Random(seed))))).flat();
}

async function liveAndDie({ app, env, log, isDone }: Restarts, random: Random): Promise<(number | null)[]> {
  const codes: (number | null)[] = [];
  const deadline = Date.now() + LIMIT_MS;
  while (Date.now() < deadline && !(await isDone())) {
    const consumer = await launch(app, log, env);
    await after(random.between(0, 700));
    codes.push((await stop(consumer)).code);
  }
  return codes;
}

/** Orders numbered from 1, each of which takes a few ms. */
export const orders = (count: number, seed: number): { id: number; pace: number }[] => {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, index) => ({ id: index + 1, pace: random.between(0, 30) }));
};

/** Returns the values that occur more than once. */
export const repeated = (names: readonly string[]): string[] =>
  names.filter((name, index) => names.indexOf(name) !== index);
