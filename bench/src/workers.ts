import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Workers } from '@roost/workers/core';
import { Bursts } from './bursts.js';
import { type Figure, median, round, runBench } from './harness.js';
import { Program } from './program.js';

const LIVES = 5;
const WARM_UP = 3;
const TURNS = 10;
/** Number of requests in a burst to a route that computes for about 2 ms. */
const BURST = 200;
const EXIT_RUNS = 25;
const CHECKS = 20_000_000;
const CHECK_ROUNDS = 9;

type Report = (figure: Figure) => void;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Opens one connection to every worker. */
class Lifelines {
  readonly path = join(mkdtempSync(join(tmpdir(), 'roost-bench-')), 'lifelines');
  lastClosedAt = 0;
  readonly #server = createServer((socket) => {
    socket.on('error', () => undefined).on('close', () => (this.lastClosedAt = performance.now()));
    socket.resume();
  }).listen(this.path);

  close(): void {
    this.#server.close();
    rmSync(dirname(this.path), { recursive: true });
  }
}

const lifelines = new Lifelines();

async function startFleet(variant: 'roost' | 'bare', workers: number): Promise<{ fleet: Program; port: number }> {
  const port = await freePort();
  const fleet = new Program('fleet/primary.js', [variant, String(workers), String(port), lifelines.path]);
  await fleet.next('ready');
  return { fleet, port };
}

/** Requests/s of one and of two workers, in short turns, so that a noisy machine is noisy for both. */
async function measureThroughput(report: Report): Promise<void> {
  const rates: [number, number][] = [];
  for (let life = 0; life < LIVES; life++) {
    const fleets = [await startFleet('roost', 1), await startFleet('roost', 2)];
    const bursts = fleets.map(({ port }) => new Bursts(port));
    for (let turn = 0; turn < WARM_UP + TURNS; turn++) {
      const rate: number[] = [];
      const order = turn % 2 === 0 ? [0, 1] : [1, 0];
      for (const n of order) rate[n] = await bursts[n]!.send(BURST);
      if (turn >= WARM_UP) rates.push([rate[0]!, rate[1]!]);
    }
    await Promise.all(fleets.map(({ fleet }) => fleet.kill('SIGKILL')));
  }
  const ratio = round(median(rates.map(([one, two]) => two / one)));
  report({
    bench: 'workers',
    case: 'requests/s of a route that computes for about 2 ms, 2 workers against 1',
    value: Math.round(median(rates.map(([, two]) => two))),
    unit: 'req/s',
    baseline: Math.round(median(rates.map(([one]) => one))),
    ratio,
    bar: 1.5,
    ok: ratio >= 1.5,
  });
}

/** Time in ms from the exit of the last of two workers to the exit of the primary. */
async function lastEndToExit(variant: 'roost' | 'bare'): Promise<number> {
  const { fleet } = await startFleet(variant, 2);
  fleet.signal('SIGTERM');
  await fleet.exited;
  return performance.now() - lifelines.lastClosedAt;
}

async function measureExit(report: Report): Promise<void> {
  const times = { roost: [] as number[], bare: [] as number[] };
  for (let run = 0; run < EXIT_RUNS; run++) {
    times.bare.push(await lastEndToExit('bare'));
    times.roost.push(await lastEndToExit('roost'));
  }
  const [p50, baseline] = [median(times.roost), median(times.bare)];
  const max = Math.max(...times.roost);
  const figure = { bench: 'workers', unit: 'ms', baseline: round(baseline), ratio: round(p50 / baseline) };
  const name = `from the last child's exit to the primary's exit, ${EXIT_RUNS} runs, against node:cluster alone`;
  report({ ...figure, case: `${name}: p50`, value: round(p50), bar: 20, ok: p50 <= 20 });
  report({ ...figure, case: `${name}: max`, value: round(max), ratio: round(max / baseline), bar: null, ok: true });
}

/** A loop that checks whether to continue, in ns per check. */
function timeChecks(isRunning: () => boolean): number {
  const start = performance.now();
  let asked = 0;
  while (asked < CHECKS && isRunning()) asked++;
  return ((performance.now() - start) * 1e6) / asked;
}

async function measureChecks(report: Report): Promise<void> {
  const workers = new Workers();
  const flag = { isRunning: true };
  const ours: number[] = [];
  const bare: number[] = [];
  await workers.runGracefully((run) => {
    for (let round = 0; round < CHECK_ROUNDS; round++) {
      bare.push(timeChecks(() => flag.isRunning));
      ours.push(timeChecks(() => run.isRunning()));
    }
  });
  const [value, baseline] = [median(ours), median(bare)];
  report({
    bench: 'workers',
    case: 'run.isRunning(), against reading a flag',
    value: round(value),
    unit: 'ns',
    baseline: round(baseline),
    ratio: round(value / baseline),
    bar: 20,
    ok: value <= 20,
  });
}

await runBench(async (report) => {
  await measureChecks(report);
  await measureExit(report);
  await measureThroughput(report);
  lifelines.close();
});
