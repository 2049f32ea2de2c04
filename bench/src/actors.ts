/** Here is only what is measured and against what bar; how is in actors/. */
import { type ContenderName, PEERS } from './actors/contenders.js';
import { mustLive, type Outcome, runPeer } from './actors/run-life.js';
import type { TaskName } from './actors/life.js';
import type { WorkloadName } from './actors/workloads.js';
import { type Figure, median, round, runBench } from './harness.js';

type Report = (figure: Figure) => void;
type Measured = Pick<Figure, 'case' | 'value' | 'unit'> & Partial<Figure>;

/** A process has luck with its memory and its compiled code, and keeps it; so each has several. */
const LIVES = 5;
const FEW_LIVES = 3;

/** CPU time of an operation of ours, as a multiple of the ring's. */
const COSTS: Record<WorkloadName, { title: string; bar: number | null }> = {
  tell: { title: 'tell, 1,000,000 messages', bar: 2 },
  tellAgain: { title: 'tell, 1,000,000 messages, to an actor that has had as many before', bar: null },
  async: { title: 'tell, 200,000 messages to an async handler', bar: 1.7 },
  pingPong: { title: 'ping-pong of two actors, a round', bar: 1.3 },
  fanOut: { title: 'fan-out, 200 messages to each of 1,000 actors', bar: 1.8 },
  askSequential: { title: 'ask, one after the other', bar: 3 },
  askConcurrent: { title: 'ask, 100,000 at once', bar: 2.5 },
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

/** Something that must not be more than the bar. */
const limited = (measured: Measured & { value: number; bar: number }): Figure =>
  figure({ ...measured, ok: measured.value <= measured.bar });

/** How a peer did, and what there is to say about it. */
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

/** Decorated actors against functional ones, in the same Nest application. */
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
        case: `${COSTS[name].title}, decorated actors against functional ones`,
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
  report(figure({ case: `${title}: heap of an idle one`, value: fresh!, unit: 'B' }));
}

/** The medians of some lives, by name. */
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
  { key: 'fresh', title: 'heap of an idle actor, of 100,000', unit: 'B', bar: 256 },
  { key: 'used', title: 'heap of an idle actor that has handled a message', unit: 'B', bar: null },
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
      // Saying it once is enough.
      if (outcome.problem !== undefined) peers.delete(peer);
    }
  }
  const growth = await medians('growth', FEW_LIVES);
  for (const step of ['spawn', 'stop']) {
    const title = `${step}, cost of an actor at 1,000,000, relative to 100,000`;
    const value = growth[step]!;
    // Linear is 1, quadratic would be 10; a larger heap alone costs the collector some.
    report(limited({ case: title, value, unit: 'x', baseline: 1, ratio: round(value), bar: 2 }));
  }
  const { kB } = await medians('churn', FEW_LIVES);
  report(limited({ case: 'heap growth after 1,000,000 spawn and stop', value: kB!, unit: 'kB', bar: 1_024 }));
}

const GAPS = {
  backlogGap: 'longest event-loop gap while 1,000,000 messages drain',
  pingPongGap: 'longest event-loop gap while two actors ping-pong for ever',
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
