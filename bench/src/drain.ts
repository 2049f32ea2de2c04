import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Bursts } from './bursts.js';
import { type Figure, median, round, runBench } from './harness.js';
import { Program } from './program.js';

const LIVES = 12;
const WARM_UP = 10;
const TURNS = 30;
/** Number of requests in a burst, which takes a fraction of a second. */
const BURST = { express: 500, fastify: 1_500 };
const EXIT_RUNS = 50;
const IDLE_CONNECTIONS = 4_000;
const ADAPTERS = ['express', 'fastify'] as const;

type Adapter = (typeof ADAPTERS)[number];
type Report = (figure: Figure) => void;

/** Starts the application and waits until it serves. */
async function startApp(subject: 'roost' | 'stock', adapter: Adapter): Promise<{ app: Program; port: number }> {
  const app = new Program('drain-app/main.js', [JSON.stringify({ subject, adapter, scheme: 'http' })]);
  const port = Number((await app.next('port ')).slice('port '.length));
  await app.next('ready');
  return { app, port };
}

/** The applications to measure. Plain Nest runs twice: the difference shows how reliable the figures are. */
const SUBJECTS = ['stock', 'stock', 'roost'] as const;

/**
 * Requests/s of the three applications in many short turns, so that a noisy machine is noisy for all. A process keeps
 * its good or bad luck with memory layout and compiled code, a few percent, so there are several runs.
 *
 * @returns the rates by turn
 */
async function measureTurns(adapter: Adapter): Promise<number[][]> {
  const turns: number[][] = [];
  pin(process.pid, 0);
  for (let life = 0; life < LIVES; life++) {
    const apps = await Promise.all(SUBJECTS.map((subject) => startApp(subject, adapter)));
    for (const { app } of apps) pin(app.pid, 1);
    const bursts = apps.map(({ port }) => new Bursts(port));
    for (let turn = 0; turn < WARM_UP + TURNS; turn++) {
      const rates: number[] = [];
      // A fixed order would always favor the same application.
      const order = SUBJECTS.map((_, n) => ({ n, key: Math.random() })).sort((a, b) => a.key - b.key);
      for (const { n } of order) rates[n] = await bursts[n]!.send(BURST[adapter]);
      if (turn >= WARM_UP) turns.push(rates);
    }
    await Promise.all(apps.map(({ app }) => app.kill('SIGKILL')));
  }
  return turns;
}

/** Pins a process to one core if there is a command for it, so that load and server do not displace each other. */
const pin = (pid: number, core: number): void => void spawnSync('taskset', ['-acp', String(core), String(pid)]);

async function measureThroughput(report: Report): Promise<void> {
  for (const adapter of ADAPTERS) {
    const turns = await measureTurns(adapter);
    const plain = turns.map(([first, second]) => (first! + second!) / 2);
    const compare = (name: string, theirs: number[], ours: number[], bar: number | null): void => {
      const ratio = round(median(ours.map((rate, turn) => rate / theirs[turn]!)));
      report({
        bench: 'drain',
        case: `requests/s of a hello route ${name}, ${adapter}`,
        value: Math.round(median(ours)),
        unit: 'req/s',
        baseline: Math.round(median(theirs)),
        ratio,
        bar,
        ok: bar === null || ratio >= bar,
      });
    };
    const [first, second, roost] = SUBJECTS.map((_, n) => turns.map((rates) => rates[n]!)) as [
      number[],
      number[],
      number[],
    ];
    compare('of plain Nest, against itself', first, second, null);
    compare('with the modules, against plain Nest', plain, roost, 0.98);
  }
}

/** Time in ms from the last byte of the only in-flight request to the exit of the process. */
async function lastByteToExit(adapter: Adapter): Promise<number> {
  const { app, port } = await startApp('roost', adapter);
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /gate?name=it HTTP/1.1\r\nHost: a\r\n\r\n');
  await app.next('at:it');
  app.signal('SIGTERM');
  await app.next('stopped accepting new work');
  app.send('go it');
  let lastByte = 0;
  socket.on('data', () => (lastByte = performance.now()));
  await app.exited;
  return performance.now() - lastByte;
}

async function measureExit(report: Report): Promise<void> {
  for (const adapter of ADAPTERS) {
    const times: number[] = [];
    for (let run = 0; run < EXIT_RUNS; run++) times.push(await lastByteToExit(adapter));
    const figure = { bench: 'drain', unit: 'ms', baseline: null, ratio: null };
    const name = `from the last byte to the exit, ${adapter}, ${EXIT_RUNS} runs`;
    const [p50, max] = [round(median(times)), round(Math.max(...times))];
    report({ ...figure, case: `${name}: p50`, value: p50, bar: 50, ok: p50 <= 50 });
    report({ ...figure, case: `${name}: max`, value: max, bar: null, ok: true });
  }
}

/** Heap in bytes that a server uses per connection that has had a request and is idle. */
async function heapPerConnection(variant: 'bare' | 'drain'): Promise<number> {
  const server = new Program('idle-connections.js', [variant], ['--expose-gc']);
  const port = Number(await server.next());
  const heapUsed = async (): Promise<number> => {
    server.send('measure');
    return Number(await server.next());
  };
  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'data');
    return socket;
  };
  // Excludes one-time costs of the first connections, such as compiled code.
  const sockets: Socket[] = [];
  for (let n = 0; n < 100; n++) sockets.push(await open());
  const before = await heapUsed();
  for (let n = 0; n < IDLE_CONNECTIONS / 100; n++) {
    sockets.push(...(await Promise.all(Array.from({ length: 100 }, open))));
  }
  const after = await heapUsed();
  for (const socket of sockets) socket.destroy();
  await server.kill('SIGKILL');
  return (after - before) / IDLE_CONNECTIONS;
}

async function measureMemory(report: Report): Promise<void> {
  const bare: number[] = [];
  const drained: number[] = [];
  for (let run = 0; run < 5; run++) {
    bare.push(await heapPerConnection('bare'));
    drained.push(await heapPerConnection('drain'));
  }
  const baseline = median(bare);
  const added = round(median(drained) - baseline);
  report({
    bench: 'drain',
    case: `heap added per idle connection, connections: ${IDLE_CONNECTIONS}`,
    value: added,
    unit: 'B',
    baseline: round(baseline),
    ratio: round(median(drained) / baseline),
    bar: 200,
    ok: added <= 200,
  });
}

await runBench(async (report) => {
  await measureMemory(report);
  await measureExit(report);
  await measureThroughput(report);
});
