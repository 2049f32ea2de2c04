/** Runs random trees of failing actors, which must not lose a message: `node .tsout/test/soak/actor-trees.js 10000`. */
import { pathToFileURL } from 'node:url';
import { TreeLife } from './tree-life.js';

export interface SoakActorTreesOptions {
  readonly trees: number;
  /** Tree number n uses the seed `seed + n`. */
  readonly seed: number;
  /** Called after each tree with its problems. */
  onTree?(n: number, problems: readonly string[]): void;
}

export interface SoakActorTreesResult {
  trees: number;
  actors: number;
  restarts: number;
  sent: number;
  handled: number;
  deadLetters: number;
  forced: number;
  /** Broken rules, one line each with the seed of the tree; empty if there are none. */
  problems: string[];
}

export async function soakActorTrees({ trees, seed, onTree }: SoakActorTreesOptions): Promise<SoakActorTreesResult> {
  const result: SoakActorTreesResult = {
    ...{ trees, actors: 0, restarts: 0, sent: 0, handled: 0, deadLetters: 0, forced: 0 },
    problems: [],
  };
  const unhandled: unknown[] = [];
  const take = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', take);
  try {
    for (let n = 0; n < trees; n++) {
      const life = new TreeLife(seed + n);
      const { counts, problems } = await life.run();
      for (const reason of unhandled.splice(0)) problems.push(`unhandled rejection: ${String(reason)}`);
      for (const key of ['actors', 'restarts', 'sent', 'handled', 'deadLetters', 'forced'] as const) {
        result[key] += counts[key];
      }
      result.problems.push(...problems.map((problem) => `seed ${seed + n}: ${problem}`));
      onTree?.(n, problems);
    }
  } finally {
    process.off('unhandledRejection', take);
  }
  return result;
}

async function main(trees: number, seed: number): Promise<void> {
  const started = Date.now();
  const result = await soakActorTrees({
    trees,
    seed,
    onTree: (n) => (n + 1) % 1_000 === 0 && console.log(`${n + 1} trees`),
  });
  const { problems, ...counts } = result;
  const seconds = Math.round((Date.now() - started) / 1000);
  console.log(`${JSON.stringify(counts)}, seed ${seed}, ${seconds} s`);
  console.log(
    problems.length ? problems.slice(0, 100).join('\n') : 'every message was handled once or became a dead letter',
  );
  if (problems.length > 0) process.exitCode = 1;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const trees = Number(process.argv[2] ?? 10_000);
  const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
  if (!Number.isInteger(trees) || trees < 1) throw new Error(`invalid number of trees: ${process.argv[2]}`);
  if (!Number.isInteger(seed)) throw new Error(`invalid seed: ${process.argv[3]}`);
  await main(trees, seed);
}
