/** Defines what is measured and the bars. The measurements are in actors/. */
import { type ContenderName, PEERS } from './actors/contenders.js';
import { mustLive, type Outcome, runPeer } from './actors/run-life.js';
import type { TaskName } from './actors/life.js';
import type { WorkloadName } from './actors/workloads.js';
import { type Figure, median, round, runBench } from './harness.js';

type Report = (figure: Figure) => void;
type Measured = Pick<Figure, 'case' | 'value' | 'unit'> & Partial<Figure>;

/** A process keeps its good or bad luck with memory layout and compiled code, so each contender runs several times. */
const LIVES = 5;
const FEW_LIVES = 3;

/** CPU time of a Roost operation, as a multiple of the ring's. */
const COSTS: Record<WorkloadName, { title: string; bar: number | null }> = {
  tell: { title: 'tell, 1,000,000 messages', bar: 2 },
  tellAgain: { title: 'tell, 1,000,000 messages, to a warmed-up actor', bar: null },
  async: { title: 'tell, 200,000 messages to an async handler', bar: 1.7 },
  pingPong: { title: 'ping-pong of two actors, per round', bar: 1.3 },
  fanOut: { title: 'fan-out, 200 messages to each of 1,000 actors', bar: 1.8 },
  askSequential: { title: 'ask, sequential', bar: 3 },
  askConcurrent: { title: 'ask, 100,000 concurrent', bar: 2.5 },
};

const figure = (measured: Measured): Figure => ({
  bench: 'actors',
  baseline: null,
  ratio: null,
  bar: null,
  ok: true,
  ...measured,
  value: measured.value === null ? null : round(measured.value),
});

/** A figure that must not exceed its bar. */
const limited = (measured: Measured & { value: number; bar: number }): Figure =>
  figure({ ...measured, ok: measured.value <= measured.bar });

/** Describes the result of a peer. */
function peerFigure(title: string, peer: ContenderName, { report, problem }: Outcome, key: string, unit: string) {
  if (problem !== undefined) return figure({ case: `${title}: ${peer} ${problem}`, value: null, unit });
  const value = report.values[key];
  if (value === undefined) return undefined;
  const reduced = report.reducedTo === undefined ? '' : `, only ${report.reducedTo.toLocaleString('en')}`;
  const overlapping = report.overlaps ? ', not serial: handlers overlap' : '';
  return figure({ case: `${title}: ${peer}${reduced}${overlapping}`, value, unit });
}

async function measureCost(name: WorkloadName, report: Report): Promise<void> {
  const { title, bar } = COSTS[name];
  const ours: number[] = [];
  const ring: number[] = [];
  for (let life = 0; life < LIVES; life++) {
    ring.push((await mustLive(name, 'ring')).ns!);
    ours.push((await mustLive(name, 'roost')).ns!);
  }
  const baseline = median(ring);
  const ratio = round(median(ours.map((cost, life) => cost / ring[life]!)));
  report(
    figure({
      case: title,
      value: median(ours),
      unit: 'ns',
      baseline: round(baseline),
      ratio,
      bar,
      ok: bar === null || ratio <= bar,
    }),
  );
  if (bar === null) return;
  for (const peer of PEERS) {
    const row = peerFigure(title, peer, await runPeer(name, peer), 'ns', 'ns');
    if (row)
      report({ ...row, baseline: round(baseline), ratio: row.value === null ? null : round(row.value / baseline) });
  }
}

/** Compares decorated with functional actors in the same Nest application. */
async function measureDecorated(report: Report): Promise<void> {
  for (const name of ['tell', 'async', 'fanOut'] as const) {
    const decorated: number[] = [];
    const functional: number[] = [];
    for (let life = 0; life < LIVES; life++) {
      functional.push((await mustLive(name, 'roost functional in Nest')).ns!);
      decorated.push((await mustLive(name, 'roost decorated')).ns!);
    }
    const ratio = round(median(decorated.map((cost, life) => cost / functional[life]!)));
    report(
      figure({
        case: `${COSTS[name].title}, decorated versus functional actors`,
        value: median(decorated),
        unit: 'ns',
        baseline: round(median(functional)),
        ratio,
        bar: 1.3,
        ok: ratio <= 1.3,
      }),
    );
  }
  const { spawn, stop, fresh } = await medians('population', FEW_LIVES, 'roost decorated');
  const title = 'DI-spawned decorated actors, 100,000';
  report(figure({ case: `${title}: spawn`, value: spawn!, unit: 'µs' }));
  report(figure({ case: `${title}: stop`, value: stop!, unit: 'µs' }));
  report(figure({ case: `${title}: heap per idle actor`, value: fresh!, unit: 'B' }));
}

/** The medians of several runs, by name. */
async function medians(
  task: TaskName,
  lives: number,
  contender: ContenderName = 'roost',
): Promise<Record<string, number>> {
  const all: Record<string, number>[] = [];
  for (let life = 0; life < lives; life++) all.push(await mustLive(task, contender));
  return Object.fromEntries(Object.keys(all[0]!).map((key) => [key, median(all.map((values) => values[key]!))]));
}

const POPULATION = [
  { key: 'fresh', title: 'heap per idle actor, 100,000 actors', unit: 'B', bar: 256 },
  { key: 'used', title: 'heap per idle actor after its first message', unit: 'B', bar: null },
  { key: 'spawn', title: 'spawn, 100,000 actors', unit: 'µs', bar: 1.5 },
  { key: 'stop', title: 'stop, 100,000 actors', unit: 'µs', bar: 1.5 },
];

async function measurePopulation(report: Report): Promise<void> {
  const ours = await medians('population', FEW_LIVES);
  const peers = new Map<ContenderName, Outcome>();
  for (const peer of PEERS) peers.set(peer, await runPeer('population', peer));
  for (const { key, title, unit, bar } of POPULATION) {
    const measured = { case: title, value: ours[key]!, unit };
    report(bar === null ? figure(measured) : limited({ ...measured, bar }));
    for (const [peer, outcome] of peers) {
      const row = peerFigure(title, peer, outcome, key, unit);
      if (row) report(row);
      // Reported only once.
      if (outcome.problem !== undefined) peers.delete(peer);
    }
  }
  const growth = await medians('growth', FEW_LIVES);
  for (const step of ['spawn', 'stop']) {
    const title = `${step}, cost per actor at 1,000,000, relative to 100,000`;
    const value = growth[step]!;
    // Linear is 1 and quadratic would be 10. A larger heap alone costs some garbage collection.
    report(limited({ case: title, value, unit: 'x', baseline: 1, ratio: round(value), bar: 2 }));
  }
  const { kB } = await medians('churn', FEW_LIVES);
  report(
    limited({ case: 'heap growth after spawning and stopping 1,000,000 actors', value: kB!, unit: 'kB', bar: 1_024 }),
  );
}

const GAPS = {
  backlogGap: 'longest event-loop gap while 1,000,000 messages drain',
  pingPongGap: 'longest event-loop gap during an endless ping-pong of two actors',
};

async function measureGaps(report: Report): Promise<void> {
  for (const [task, title] of Object.entries(GAPS) as [keyof typeof GAPS, string][]) {
    const gaps: number[] = [];
    for (let life = 0; life < FEW_LIVES; life++) gaps.push((await mustLive(task, 'roost')).ms!);
    report(limited({ case: title, value: Math.max(...gaps), unit: 'ms', bar: 15 }));
    for (const peer of PEERS) {
      const row = peerFigure(title, peer, await runPeer(task, peer), 'ms', 'ms');
      if (row) report(row);
    }
  }
}

await runBench(async (report) => {
  for (const name of Object.keys(COSTS) as WorkloadName[]) await measureCost(name, report);
  await measureDecorated(report);
  await measurePopulation(report);
  await measureGaps(report);
});
