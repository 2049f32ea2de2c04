import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CoordinatedShutdown } from '@roost/shutdown/core';
import { type Figure, median, round, runBench } from './harness.js';

const SIGNAL_RUNS = 15;
const PLAN_RUNS = 7;
const silent = { log() {}, warn() {}, error() {} };
const fixture = fileURLToPath(new URL('./fixtures/stop-on-signal.js', import.meta.url));

/** Time in ms from SIGTERM to the exit of a child process. */
async function signalToExit(variant: string): Promise<number> {
  const child = spawn(process.execPath, [fixture, variant], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const start = performance.now();
  child.kill('SIGTERM');
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error(`${variant} exited with code ${code}`);
  return performance.now() - start;
}

async function measureSignals(report: (figure: Figure) => void): Promise<void> {
  const pairs = { engine: 'bare', nest: 'nest-bare' };
  for (const [variant, bare] of Object.entries(pairs)) {
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let run = 0; run < SIGNAL_RUNS; run++) {
      theirs.push(await signalToExit(bare));
      ours.push(await signalToExit(variant));
    }
    const [value, baseline] = [median(ours), median(theirs)];
    const overhead = round(value - baseline);
    report({
      bench: 'shutdown',
      case: `signal to exit, empty phases, ${variant}: ms over a bare process.exit`,
      value: overhead,
      unit: 'ms',
      baseline: round(baseline),
      ratio: round(value / baseline),
      bar: 20,
      ok: overhead <= 20,
    });
  }
}

const work = async (): Promise<void> => {};

/** Plans and runs registered tasks: ten per phase, with the phases in a chain. */
async function planAndRun(tasks: number): Promise<number> {
  const shutdown = new CoordinatedShutdown({ logger: silent });
  for (let phase = 0; phase < tasks / 10; phase++) {
    shutdown.addPhase(`phase-${phase}`, phase > 0 ? { dependsOn: [`phase-${phase - 1}`] } : {});
    for (let task = 0; task < 10; task++) shutdown.addTask(`phase-${phase}`, `task-${task}`, work);
  }
  const start = performance.now();
  const report = await shutdown.run();
  const duration = performance.now() - start;
  if (report.status !== 'completed') throw new Error(`the shutdown ended with status ${report.status}`);
  return duration;
}

/** The same calls without the engine. */
async function bareLoop(tasks: number): Promise<number> {
  const start = performance.now();
  for (let phase = 0; phase < tasks / 10; phase++) {
    await Promise.all(Array.from({ length: 10 }, work));
  }
  return performance.now() - start;
}

async function measurePlans(report: (figure: Figure) => void): Promise<void> {
  for (let warmUp = 0; warmUp < 3; warmUp++) await planAndRun(10_000);
  let smallest = 0;
  for (const tasks of [1_000, 10_000, 100_000]) {
    const ours: number[] = [];
    const bare: number[] = [];
    for (let run = 0; run < PLAN_RUNS; run++) {
      bare.push(await bareLoop(tasks));
      ours.push(await planAndRun(tasks));
    }
    const [value, baseline] = [median(ours), median(bare)];
    const bar = tasks === 10_000 ? 50 : null;
    report({
      bench: 'shutdown',
      case: `plan and run ${tasks} tasks in ${tasks / 10} phases`,
      value: round(value),
      unit: 'ms',
      baseline: round(baseline),
      ratio: round(value / baseline),
      bar,
      ok: bar === null || value <= bar,
    });
    if (tasks === 1_000) smallest = value / tasks;
    else {
      const growth = round(value / tasks / smallest);
      report({
        bench: 'shutdown',
        case: `cost per task at ${tasks} tasks, relative to 1000 tasks`,
        value: growth,
        unit: 'x',
        baseline: 1,
        ratio: growth,
        bar: 2,
        ok: growth <= 2,
      });
    }
  }
}

await runBench(async (report) => {
  await measurePlans(report);
  await measureSignals(report);
});
