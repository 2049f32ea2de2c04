import { type Figure, median, round } from '../harness.js';
import { Program } from '../program.js';

type Report = (figure: Figure) => void;

/** A process has luck with its memory and its compiled code, and keeps it; so each has several. */
const LIVES = 5;
const EVENTS = 100_000;
const NODES = 10;

/** A graph of the folder `graphs`, with its size and how many events its source makes. */
type Life = readonly [graph: string, size: number, events: number];

/** CPU time of a hop in ns, in a new process. */
async function costOfHop([graph, size, events]: Life): Promise<number> {
  const program = new Program('dataflow-graph.js', [graph, String(size), String(events)]);
  const line = await program.next('ns ');
  await program.exited;
  return Number(line.slice('ns '.length));
}

/** CPU times of a hop in several lives: those of one life were measured one after the other. */
async function costs<K extends string>(lives: Record<K, Life>): Promise<Record<K, number[]>> {
  const all = {} as Record<K, number[]>;
  for (let life = 0; life < LIVES; life++) {
    for (const name of Object.keys(lives) as K[]) (all[name] ??= []).push(await costOfHop(lives[name]));
  }
  return all;
}

/** Ratios of the same life: a noisy machine is noisy for both. */
const medianRatio = (values: readonly number[], baselines: readonly number[]): number =>
  round(median(values.map((value, life) => value / baselines[life]!)));

/** Events/s of CPU time: a chain of 10 nodes has 9 hops for each event. */
const rateOf = (nsPerHop: readonly number[]): number => Math.round(1e9 / (median(nsPerHop) * (NODES - 1)));

async function measurePipeline(report: Report): Promise<void> {
  const { ours, bare, reactorTs, records, bareRecords } = await costs({
    bare: ['bare', NODES, EVENTS],
    ours: ['chain', NODES, EVENTS],
    reactorTs: ['reactor-ts', NODES, EVENTS],
    bareRecords: ['bare-records', NODES, EVENTS],
    records: ['chain-records', NODES, EVENTS],
  });
  for (const [payload, values, name, baseline, bar] of [
    ['numbers', ours, 'a bare heap of functions', bare, 0.35],
    ['numbers', ours, '@lf-lang/reactor-ts', reactorTs, 3],
    // To freeze and to hash a record costs more than all the rest, and the bare heap does neither.
    ['records of three fields', records, 'a bare heap of functions', bareRecords, null],
  ] as const) {
    const ratio = medianRatio(baseline, values);
    report({
      bench: 'dataflow',
      case: `pipeline of ${NODES} nodes in one process, ${EVENTS.toLocaleString('en')} ${payload}, against ${name}`,
      value: rateOf(values),
      unit: 'events/s',
      baseline: rateOf(baseline),
      ratio,
      bar,
      ok: bar === null || ratio >= bar,
    });
  }
}

/**
 * Graphs of 10 nodes and of 1,000, with events for about as many hops, and so many that making the nodes does not count. Linear
 * is 1, quadratic would be 100; a large graph alone costs the processor's caches some. Nodes beside each other are kept in order
 * by a heap, which makes three times as many steps for 100 times as many.
 */
const GROWTH = {
  chain: { title: 'a hop in a chain of nodes', few: 400_000, many: 4_000, bar: 2 },
  fan: { title: 'a hop in a fan-out and fan-in of nodes', few: 200_000, many: 2_000, bar: 3 },
  quiet: { title: 'a hop among nodes that have nothing to do', few: 1_000_000, many: 1_000_000, bar: 2 },
};

async function measureGrowth(graph: keyof typeof GROWTH, report: Report): Promise<void> {
  const { title, few, many, bar } = GROWTH[graph];
  const hops = await costs({ few: [graph, 10, few], many: [graph, 1_000, many] });
  const ratio = medianRatio(hops.many, hops.few);
  report({
    bench: 'dataflow',
    case: `${title}, 1,000 of them against 10`,
    value: round(median(hops.many)),
    unit: 'ns',
    baseline: round(median(hops.few)),
    ratio,
    bar,
    ok: ratio <= bar,
  });
}

/** All nodes in one process. */
export async function measureEmbedded(report: Report): Promise<void> {
  await measurePipeline(report);
  for (const graph of Object.keys(GROWTH) as (keyof typeof GROWTH)[]) await measureGrowth(graph, report);
}
