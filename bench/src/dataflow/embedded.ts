import { type Figure, median, round } from '../harness.js';
import { Program } from '../program.js';

type Report = (figure: Figure) => void;

/** A process keeps its good or bad luck with memory layout and compiled code, so each graph runs several times. */
const LIVES = 5;
const EVENTS = 100_000;
const NODES = 10;

/** A graph of the folder `graphs`, with its size and the number of events of its source. */
type Life = readonly [graph: string, size: number, events: number];

/** CPU time per hop in ns, in a new process. */
async function costOfHop([graph, size, events]: Life): Promise<number> {
  const program = new Program('dataflow-graph.js', [graph, String(size), String(events)]);
  const line = await program.next('ns ');
  await program.exited;
  return Number(line.slice('ns '.length));
}

/** CPU times per hop of several runs. The graphs of one run were measured one after another. */
async function costs<K extends string>(lives: Record<K, Life>): Promise<Record<K, number[]>> {
  const all = {} as Record<K, number[]>;
  for (let life = 0; life < LIVES; life++) {
    for (const name of Object.keys(lives) as K[]) (all[name] ??= []).push(await costOfHop(lives[name]));
  }
  return all;
}

/** Ratios within one run, because a noisy machine is noisy for both. */
const medianRatio = (values: readonly number[], baselines: readonly number[]): number =>
  round(median(values.map((value, life) => value / baselines[life]!)));

/** Events per second of CPU time. A chain of 10 nodes has 9 hops per event. */
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
    // Freezing and hashing a record costs more than everything else, and the bare heap does neither.
    ['records with three fields', records, 'a bare heap of functions', bareRecords, null],
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
 * Graphs with 10 and with 1,000 nodes, and events for about the same number of hops, enough that creating the nodes
 * does not matter. Linear is 1 and quadratic would be 100. A large graph alone costs some cache misses. A heap keeps
 * parallel nodes in order, which takes three times as many steps for 100 times as many nodes.
 */
const GROWTH = {
  chain: { title: 'hop in a chain of nodes', few: 400_000, many: 4_000, bar: 2 },
  fan: { title: 'hop in a fan-out and fan-in of nodes', few: 200_000, many: 2_000, bar: 3 },
  quiet: { title: 'hop among idle nodes', few: 1_000_000, many: 1_000_000, bar: 2 },
};

async function measureGrowth(graph: keyof typeof GROWTH, report: Report): Promise<void> {
  const { title, few, many, bar } = GROWTH[graph];
  const hops = await costs({ few: [graph, 10, few], many: [graph, 1_000, many] });
  const ratio = medianRatio(hops.many, hops.few);
  report({
    bench: 'dataflow',
    case: `${title}, 1,000 versus 10`,
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
