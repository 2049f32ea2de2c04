/**
 * Runs random graphs in many placements and checks that each has one digest: `node .tsout/test/soak/dataflow.js 200`.
 */
import { setTimeout as after } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { DataflowReport } from '@roost/dataflow/core';
import { Hosts, type HostReport } from '../dataflow/hosts.js';
import { runEmbedded, runInBadWeather, runInMemory, runOverTcp } from '../dataflow/placements.js';
import { randomSubject, type Subject } from '../dataflow/subject.js';
import { installBrokers, startNats } from '../support/brokers.js';

export interface SoakDataflowOptions {
  readonly graphs: number;
  /** Graph number n is created from `seed + n`. */
  readonly seed: number;
  /** Number of runs of each graph per placement, with different waits in reactions. */
  readonly interleavings: number;
  /** Placements to run each graph in, by name. */
  readonly placements: Readonly<Record<string, Run>>;
  /** Called after each graph. */
  onGraph?(n: number): void;
}

/** Runs the graph of a seed. */
export type Run = (graph: number, interleaving: number) => Promise<HostReport | DataflowReport>;

export interface SoakDataflowResult {
  graphs: number;
  runs: number;
  firings: number;
  dataMessages: number;
  controlMessages: number;
  /** Problems, one line each with the seed of the graph. Empty if each graph has one digest. */
  problems: string[];
}

const here =
  (run: (subject: Subject, seed: number) => Promise<DataflowReport>): Run =>
  (graph, interleaving) =>
    run(randomSubject(graph, interleaving), interleaving);

/** Placements that need no other process. */
export const LOCAL_PLACEMENTS: Readonly<Record<string, Run>> = {
  embedded: here(runEmbedded),
  memory: here(runInMemory),
  'bad weather': here(runInBadWeather),
  sockets: here(runOverTcp),
};

export async function soakDataflow(options: SoakDataflowOptions): Promise<SoakDataflowResult> {
  const { graphs, seed, interleavings, placements, onGraph } = options;
  const result: SoakDataflowResult = { graphs, runs: 0, firings: 0, dataMessages: 0, controlMessages: 0, problems: [] };
  for (let n = 0; n < graphs; n++) {
    const graph = seed + n;
    const { digest } = await runEmbedded(randomSubject(graph, 0));
    for (const [name, run] of Object.entries(placements)) {
      for (let interleaving = graph; interleaving < graph + interleavings; interleaving++) {
        const report = await inTime(run(graph, interleaving)).catch((error: unknown) => ({ error: String(error) }));
        result.runs++;
        const where = `graph ${graph}, ${name}, interleaving ${interleaving}`;
        if (report.error !== undefined) {
          result.problems.push(`${where}: ${textOf(report.error)}`);
          continue;
        }
        const { digest: found, nodes, dataMessages, controlMessages } = report as HostReport;
        if (found !== digest) result.problems.push(`${where}: digest ${found} instead of ${digest}`);
        result.firings += Object.values(nodes).reduce((sum, { firings }) => sum + firings, 0);
        result.dataMessages += dataMessages;
        result.controlMessages += controlMessages;
      }
    }
    onGraph?.(n);
  }
  return result;
}

const textOf = (error: Error | string): string => (typeof error === 'string' ? error : error.message);

/** Time limit in ms, far above the expected duration. */
const DEADLINE_MS = 60_000;

async function inTime<T>(run: Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = after(DEADLINE_MS, undefined, { signal: over.signal }).then(() => {
    throw new Error(`did not end within ${DEADLINE_MS} ms`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([run, late]);
  } finally {
    over.abort();
  }
}

async function main(graphs: number, seed: number): Promise<void> {
  const started = Date.now();
  await installBrokers();
  const broker = await startNats();
  const hosts = new Hosts();
  const placements = {
    ...LOCAL_PLACEMENTS,
    'processes over TCP': (graph: number, interleaving: number) => hosts.run({ graph, interleaving }, { tcp: true }),
    'processes over NATS': (graph: number, interleaving: number) =>
      hosts.run({ graph, interleaving }, { nats: broker.port }),
  };
  try {
    const { problems, ...counts } = await soakDataflow({
      ...{ graphs, seed, interleavings: 3, placements },
      onGraph: (n) => (n + 1) % 50 === 0 && console.log(`${n + 1} graphs`),
    });
    const seconds = Math.round((Date.now() - started) / 1000);
    const where = Object.keys(placements).join(', ');
    console.log(`${JSON.stringify(counts)} (${where}), seed ${seed}, ${seconds} s`);
    console.log(problems.length ? problems.slice(0, 100).join('\n') : 'one digest per graph');
    if (problems.length > 0) process.exitCode = 1;
  } finally {
    await hosts.stop();
    await broker.stop();
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const graphs = Number(process.argv[2] ?? 200);
  const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
  if (!Number.isInteger(graphs) || graphs < 1) throw new Error(`not a number of graphs: ${process.argv[2]}`);
  if (!Number.isInteger(seed)) throw new Error(`not a seed: ${process.argv[3]}`);
  await main(graphs, seed);
}
