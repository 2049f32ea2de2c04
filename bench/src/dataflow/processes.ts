import { type Figure, median, round } from '../harness.js';
import { Program } from '../program.js';
import { startNats } from './nats-server.js';
import { PLACED, type ProcessResult } from './placed.js';

type Report = (figure: Figure) => void;

const LIVES = 5;
const FEW_LIVES = 3;
const ROUNDS = 10_000;
const EVENTS = 20_000;
const PARTITION_MESSAGES = 50_000;
const STREAM_EVENTS = 100_000;
const IDLE_MS = [100, 3_100] as const;

const figure = (measured: Pick<Figure, 'case' | 'value' | 'unit'> & Partial<Figure>): Figure => ({
  bench: 'dataflow',
  baseline: null,
  ratio: null,
  bar: null,
  ok: true,
  ...measured,
});

/** A figure that must not exceed its bar. */
const limited = (measured: Pick<Figure, 'case' | 'unit'> & { value: number; bar: number }): Figure =>
  figure({ ...measured, value: round(measured.value), ok: measured.value <= measured.bar });

const after = (line: string, word: string): string => line.slice(line.indexOf(word) + word.length).trim();

/** Runs a graph in new processes. @returns the report of the process with the coordinator */
export async function runPlaced(graph: keyof typeof PLACED, count: number, transport = 'tcp'): Promise<ProcessResult> {
  const [first, ...others] = Object.keys(PLACED[graph].processes) as [string, ...string[]];
  const args = (name: string): string[] => [graph, name, String(count), transport];
  const coordinator = new Program('dataflow-process.js', args(first));
  const address = after(await coordinator.next('listening'), 'listening');
  const programs = others.map((name) => new Program('dataflow-process.js', [...args(name), address]));
  const result = JSON.parse(after(await coordinator.next('result '), 'result ')) as ProcessResult;
  await Promise.all([coordinator, ...programs].map(({ exited }) => exited));
  if (result.status === 'forced') throw new Error(`${graph} over ${transport} was stopped by force`);
  return result;
}

/** The same ping-pong over raw sockets. @returns the duration of a round in µs */
async function playRaw(): Promise<number> {
  const echo = new Program('dataflow-raw.js', ['echo']);
  const port = after(await echo.next('listening'), 'listening');
  const player = new Program('dataflow-raw.js', [port, String(ROUNDS)]);
  const result = after(await player.next('result '), 'result ');
  await Promise.all([echo.exited, player.exited]);
  return Number(result);
}

async function measurePingPong(report: Report): Promise<void> {
  const rounds = { raw: [] as number[], ours: [] as number[] };
  let control = 0;
  for (let life = 0; life < LIVES; life++) {
    rounds.raw.push(await playRaw());
    const { roundUs, controlMessages, dataMessages } = await runPlaced('pingPong', ROUNDS);
    rounds.ours.push(roundUs!);
    control = controlMessages / dataMessages;
  }
  const ratio = round(median(rounds.ours.map((us, life) => rounds.raw[life]! / us)));
  report(
    figure({
      case: 'ping-pong of two processes over TCP, against node:net alone',
      value: Math.round(1e6 / median(rounds.ours)),
      unit: 'rounds/s',
      baseline: Math.round(1e6 / median(rounds.raw)),
      ratio,
      bar: 0.4,
      ok: ratio >= 0.4,
    }),
  );
  const value = median(rounds.ours) / 2;
  report(limited({ case: 'from one process to the other over TCP, p50', value, unit: 'µs', bar: 100 }));
  report(limited({ case: 'control messages per data message in a cycle', value: control, unit: 'x', bar: 4 }));
}

async function measureMessages(report: Report): Promise<void> {
  const { controlMessages, dataMessages } = await runPlaced('diamond', EVENTS);
  report(
    limited({
      case: 'control messages per data message in a diamond over four processes',
      value: controlMessages / dataMessages,
      unit: 'x',
      bar: 1,
    }),
  );
  const [short, long] = [await runPlaced('idle', IDLE_MS[0]), await runPlaced('idle', IDLE_MS[1])];
  const value = long.controlMessages - short.controlMessages;
  report(limited({ case: 'control messages in 3 idle seconds', value, unit: 'messages', bar: 0 }));
}

async function measureTransport(name: string, transport: string, report: Report): Promise<void> {
  const { eventsPerSecond } = await runPlaced('stream', STREAM_EVENTS, transport);
  report(
    figure({ case: `stream to another process over ${name}`, value: Math.round(eventsPerSecond!), unit: 'events/s' }),
  );
  const { roundUs } = await runPlaced('pingPong', ROUNDS, transport);
  const value = Math.round(1e6 / roundUs!);
  report(figure({ case: `ping-pong of two processes over ${name}`, value, unit: 'rounds/s' }));
}

/** The coordinator's work per message should hardly depend on the number of partitions. */
async function measurePartitions(shape: 'chain' | 'ring', report: Report): Promise<void> {
  const costs = { few: [] as number[], many: [] as number[] };
  for (let life = 0; life < FEW_LIVES; life++) {
    for (const [key, size] of [
      ['few', 10],
      ['many', 1_000],
    ] as const) {
      const program = new Program('dataflow-partitions.js', [shape, String(size), String(PARTITION_MESSAGES)]);
      costs[key].push(Number(after(await program.next('us '), 'us ')));
      await program.exited;
    }
  }
  const ratio = round(median(costs.many.map((cost, life) => cost / costs.few[life]!)));
  report(
    figure({
      case: `message in a ${shape} of partitions, 1,000 versus 10`,
      value: round(median(costs.many)),
      unit: 'µs',
      baseline: round(median(costs.few)),
      ratio,
      bar: 3,
      ok: ratio <= 3,
    }),
  );
}

/** Several processes on one machine. */
export async function measureProcesses(report: Report): Promise<void> {
  await measurePingPong(report);
  await measureMessages(report);
  for (const shape of ['chain', 'ring'] as const) await measurePartitions(shape, report);
  await measureTransport('TCP', 'tcp', report);
  const broker = await startNats();
  if (!broker)
    return report(figure({ case: 'over NATS: nats-server is not installed', value: null, unit: 'events/s' }));
  try {
    await measureTransport('NATS', broker.server, report);
  } finally {
    await broker.stop();
  }
}
