/** Runs every benchmark in a process of its own, one after the other. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const benches = ['shutdown', 'drain', 'actors', 'workers', 'dataflow'];
for (const bench of benches) {
  console.log(`\n${bench}`);
  const file = fileURLToPath(new URL(`./${bench}.js`, import.meta.url));
  const { status } = spawnSync(process.execPath, [file, ...process.argv.slice(2)], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
