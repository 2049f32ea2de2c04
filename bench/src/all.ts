/**
 * Runs every benchmark in its own process, one after another, and then updates the figures in the README. With `--json`
 * it prints one object per line and does not change the README.
 */
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Figure } from './harness.js';
import { writeFigures } from './readme.js';

const BENCHES = ['shutdown', 'drain', 'actors', 'workers', 'dataflow'];
const asJson = process.argv.includes('--json');

/** The figures of a benchmark, including missed bars. */
function figuresOf(bench: string): Figure[] {
  const file = fileURLToPath(new URL(`./${bench}.js`, import.meta.url));
  const { stdout, status } = spawnSync(process.execPath, ['--expose-gc', file, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  if (status !== 0) process.exitCode = 1;
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Figure);
}

function show(bench: string, figures: readonly Figure[]): void {
  if (asJson) return figures.forEach((figure) => console.log(JSON.stringify(figure)));
  console.log(`\n${bench}`);
  console.table(figures.map(({ bench: _, ...figure }) => figure));
}

const figures: Figure[] = [];
for (const bench of BENCHES) {
  const measured = figuresOf(bench);
  show(bench, measured);
  figures.push(...measured);
}

if (!asJson) {
  const date = new Date().toISOString().slice(0, 10);
  writeFigures({ date, node: process.version, cores: availableParallelism(), figures });
}
