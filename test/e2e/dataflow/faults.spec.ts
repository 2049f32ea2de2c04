import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { connect as connectNats } from '@nats-io/transport-node';
import { AppProcess } from '../../support/app-process.js';
import { type Broker, freePort, installBrokers, startNats } from '../../support/brokers.js';
import { until } from '../../support/until.js';
import type { Plan } from './fixtures/plan.js';
import { BreakableProxy } from './support/breakable-proxy.js';
import { Cluster } from './support/cluster.js';
import { embedded } from './support/printed.js';

const { jest } = import.meta;
jest.setTimeout(30_000);

const CLEAN = { code: 0, signal: null };
const FAILED = { code: 1, signal: null };
const KILLED = { code: null, signal: 'SIGKILL' };
/** Limit in ms: `crashAfterMs`, the time for a stop by force, and a margin for a busy machine. */
const NOTICED_MS = 4_000;

let broker: Broker;
beforeAll(async () => {
  await installBrokers();
  broker = await startNats();
}, 300_000);
afterEach(() => AppProcess.killAll());
afterAll(() => broker.stop());

/** Makes names unique, because several tests share the broker. */
let runs = 0;
const PLACEMENT = { processes: { left: ['source'], right: ['double'], last: ['sink'] }, coordinator: 'left' };
const placement = () => ({ ...PLACEMENT, app: `run-${process.pid}-${++runs}` });

const TRANSPORTS: [name: string, plan: () => Plan][] = [
  ['TCP', () => ({ placement: placement() })],
  ['NATS', () => ({ placement: placement(), natsPort: broker.port })],
];

/** Runs a test over all transports concurrently, because it mostly waits. */
const itOverAll = (title: string, test: (base: Plan) => Promise<void>): void =>
  it(title, async () => {
    const results = await Promise.allSettled(TRANSPORTS.map(([, plan]) => test(plan())));
    for (const [index, result] of results.entries()) {
      if (result.status === 'fulfilled') continue;
      const error = result.reason as Error;
      error.message = `Over ${TRANSPORTS[index]![0]}: ${error.message}`;
      throw error;
    }
  });

describe('a run over TCP and over NATS', () => {
  itOverAll('ends in all processes when one is killed', async (base) => {
    const cluster = await Cluster.running(base);
    const from = performance.now();
    cluster.get('right').kill('SIGKILL');
    expect(await cluster.end()).toEqual({ left: FAILED, right: KILLED, last: FAILED });
    expect(performance.now() - from).toBeLessThan(NOTICED_MS);
    for (const name of ['left', 'last']) {
      expect(cluster.get(name).report).toMatchObject({
        status: 'forced',
        exitCode: 1,
        error: { code: 'DATAFLOW_PROCESS_LOST' },
      });
    }
  });

  itOverAll('ends in all processes when the one with the coordinator is killed', async (base) => {
    const cluster = await Cluster.running(base);
    const from = performance.now();
    cluster.get('left').kill('SIGKILL');
    expect(await cluster.end()).toEqual({ left: KILLED, right: FAILED, last: FAILED });
    expect(performance.now() - from).toBeLessThan(NOTICED_MS);
    for (const name of ['right', 'last']) {
      expect(cluster.get(name).report.error).toMatchObject({ code: 'DATAFLOW_COORDINATOR_LOST' });
    }
  });

  itOverAll('ends when a process is paused, which does no harm when it resumes', async (base) => {
    const cluster = await Cluster.running(base);
    const from = performance.now();
    cluster.get('right').kill('SIGSTOP');
    expect(await cluster.end('left', 'last')).toEqual({ left: FAILED, last: FAILED });
    expect(performance.now() - from).toBeLessThan(NOTICED_MS);
    expect(cluster.get('last').report.error).toMatchObject({ code: 'DATAFLOW_PROCESS_LOST' });
    cluster.get('right').kill('SIGCONT');
    expect(await cluster.end('right')).toEqual({ right: FAILED });
    expect(cluster.output).not.toMatch(/^wrong/m);
  });

  itOverAll('continues without a killed process with onCrash: treatAsDone', async (base) => {
    const cluster = await Cluster.running({ ...base, count: 150, onCrash: 'treatAsDone' });
    cluster.get('right').kill('SIGKILL');
    expect(await cluster.end()).toEqual({ left: CLEAN, right: KILLED, last: CLEAN });
    expect(cluster.get('last').report).toMatchObject({ status: 'completed', exitCode: 0 });
    expect(cluster.stops().handled).toEqual({ source: 150, sink: 150 });
  });

  itOverAll('continues with a restarted process, undisturbed by its earlier incarnation', async (base) => {
    const plan: Plan = { count: 200, onCrash: 'restart' };
    const cluster = await Cluster.running({ ...base, ...plan });
    const earlier = cluster.get('right');
    earlier.kill('SIGSTOP');
    await cluster.get('left').line(/is lost/);
    cluster.add('right');
    // While the new process is catching up.
    await cluster.get('left').line(/rejoined after a restart/);
    earlier.kill('SIGCONT');
    const alone = await embedded(plan);
    expect(await cluster.end()).toEqual({ left: CLEAN, right: CLEAN, last: CLEAN });
    const { nodes, status } = cluster.get('last').report;
    expect(status).toBe('completed');
    expect(nodes['source']).toEqual(alone.nodes['source']);
    expect(nodes['sink']).toEqual(alone.nodes['sink']);
    expect(cluster.output).not.toMatch(/^wrong/m);
    expect(await earlier.end()).toEqual(FAILED);
  });

  itOverAll('keeps a fast sender close to a slow receiver', async (base) => {
    const plan: Plan = { count: 300, slowMs: 5, ballast: 10_000, fast: true };
    const window = 8;
    const cluster = await Cluster.running({ ...base, ...plan, window });
    const alone = embedded({ ...plan, slowMs: 0 });
    for (let look = 0; look < 3; look++) {
      const { source } = (await cluster.get('left').describe()).nodes;
      const { sink } = (await cluster.get('last').describe()).nodes;
      // Two connections lead to the sink.
      expect(sink!.queued).toBeLessThanOrEqual(2 * window);
      expect(source!.tags - sink!.tags).toBeLessThanOrEqual(2 * window);
    }
    expect(await cluster.end()).toEqual({ left: CLEAN, right: CLEAN, last: CLEAN });
    expect(cluster.get('last').report.digest).toBe((await alone).digest);
  });

  itOverAll('refuses a process of another version immediately, by name', async (base) => {
    const cluster = await Cluster.prepare({ ...base, joinTimeoutMs: 3_000 });
    for (const name of ['left', 'last']) await cluster.add(name).line(/^listening/);
    cluster.add('right', { extraNode: true, placement: { ...placementOf(cluster), processes: WITH_EXTRA } });
    expect(await cluster.end()).toEqual({ left: FAILED, right: FAILED, last: FAILED });
    for (const name of ['left', 'right']) {
      expect(cluster.get(name).report.error).toMatchObject({
        code: 'DATAFLOW_GRAPH_VERSION',
        message: expect.stringContaining('"right"') as string,
      });
    }
  });

  itOverAll('names a process that has not joined in time', async (base) => {
    const cluster = await Cluster.prepare({ ...base, joinTimeoutMs: 1_000 });
    cluster.add('left');
    cluster.add('last');
    expect(await cluster.end()).toEqual({ left: FAILED, last: FAILED });
    for (const name of ['left', 'last']) {
      expect(cluster.get(name).report.error).toMatchObject({
        code: 'DATAFLOW_PROCESSES_MISSING',
        message: expect.stringContaining('right') as string,
      });
    }
    expect(cluster.output).not.toMatch(/^start/m);
  });
});

const WITH_EXTRA = { left: ['source'], right: ['double', 'extra'], last: ['sink'] };
const placementOf = (cluster: Cluster) => cluster.plan.placement!;

describe('a broken link', () => {
  it('over TCP heals, and nothing is lost', async () => {
    const plan: Plan = { count: 250, placement: placement(), crashAfterMs: 3_000 };
    const port = await freePort();
    const proxy = await BreakableProxy.start(port);
    // All traffic to and from the process of the coordinator.
    const cluster = await Cluster.running({ ...plan, port, coordinatorAddress: `127.0.0.1:${proxy.port}` });
    const alone = embedded({ count: 250 });
    for (const reached of [20, 60, 100]) {
      await cluster.get('last').line(new RegExp(`^got ${reached}$`));
      await proxy.cut();
      // Long enough for several attempts.
      await new Promise((resolve) => setTimeout(resolve, 100 + reached));
      const before = proxy.connections;
      await proxy.restore();
      await until('the links of both others', () => proxy.connections >= before + 2);
    }
    expect(await cluster.end()).toEqual({ left: CLEAN, right: CLEAN, last: CLEAN });
    expect(cluster.get('last').report).toMatchObject({ status: 'completed', digest: (await alone).digest });
    await proxy.close();
  });

  it('over TCP ends all processes when it does not heal in time', async () => {
    const port = await freePort();
    const proxy = await BreakableProxy.start(port);
    const cluster = await Cluster.running({
      placement: placement(),
      port,
      coordinatorAddress: `127.0.0.1:${proxy.port}`,
    });
    await proxy.cut();
    expect(await cluster.end()).toEqual({ left: FAILED, right: FAILED, last: FAILED });
    expect(cluster.get('left').report.error).toMatchObject({ code: 'DATAFLOW_PROCESS_LOST' });
    for (const name of ['right', 'last']) {
      expect(cluster.get(name).report.error).toMatchObject({ code: 'DATAFLOW_COORDINATOR_LOST' });
    }
  });

  it('over NATS heals when the broker returns, and nothing is lost', async () => {
    const own = await startNats();
    const plan: Plan = { count: 250, placement: placement(), natsPort: own.port, crashAfterMs: 5_000 };
    const cluster = await Cluster.running(plan);
    const alone = embedded({ count: 250 });
    await own.kill();
    const successor = await startNats(own.port);
    expect(await cluster.end()).toEqual({ left: CLEAN, right: CLEAN, last: CLEAN });
    expect(cluster.get('last').report).toMatchObject({ status: 'completed', digest: (await alone).digest });
    await successor.stop();
  });
});

describe('unidentified clients', () => {
  /** Checks that the run was not disturbed. */
  const expectToGoOn = async (cluster: Cluster): Promise<void> => {
    const { tags } = (await cluster.get('last').describe()).nodes['sink']!;
    await until('more numbers', async () => (await cluster.get('last').describe()).nodes['sink']!.tags > tags + 20);
    cluster.get('right').send('stop');
    expect(await cluster.end()).toEqual({ left: CLEAN, right: CLEAN, last: CLEAN });
    const { source, double, sink } = cluster.stops().handled;
    expect([double, sink]).toEqual([source, source]);
    expect(cluster.output).not.toMatch(/^wrong/m);
  };

  it('are refused over TCP, and the run continues', async () => {
    const cluster = await Cluster.running({ placement: placement(), token: 'secret' });
    const { port } = cluster.plan;
    const hugeFrame = Buffer.alloc(64);
    hugeFrame.writeUInt32LE(0xffff_ffff);
    const frames = [Buffer.alloc(0), Buffer.from('GET / HTTP/1.1\r\n\r\n'), hugeFrame, randomBytes(100_000)];
    // More connections than the limit for unidentified clients, some of which send nothing.
    const sockets = Array.from({ length: 100 }, (_, index) => {
      const socket = connectSocket(port!, '127.0.0.1').on('error', () => undefined);
      socket.write(frames[index % frames.length]!);
      return socket.resume();
    });
    await addThief(cluster).line(/token/);
    await expectToGoOn(cluster);
    for (const socket of sockets) if (!socket.closed) await once(socket, 'close');
  });

  it('are ignored over NATS, and the run continues', async () => {
    const cluster = await Cluster.running({ placement: placement(), natsPort: broker.port });
    const { app } = cluster.plan.placement!;
    const nats = await connectNats({ servers: `127.0.0.1:${broker.port}` });
    for (const to of ['left', 'right', 'last']) {
      for (const from of ['nobody', 'left', 'right', 'last', '%zz']) {
        for (const bytes of [Buffer.alloc(0), Buffer.from('hello'), randomBytes(10_000)]) {
          nats.publish(`roost.df.${app}.${to}.${from}`, bytes);
        }
      }
    }
    await nats.close();
    await expectToGoOn(cluster);
  });

  it('never join without the token, and are named as missing after the timeout', async () => {
    const cluster = await Cluster.prepare({ placement: placement(), token: 'secret', joinTimeoutMs: 1_000 });
    cluster.add('left');
    cluster.add('last');
    const right = cluster.add('right', { token: 'guessed' });
    expect(await cluster.end()).toEqual({ left: FAILED, right: FAILED, last: FAILED });
    expect(cluster.get('left').report.error).toMatchObject({
      code: 'DATAFLOW_PROCESSES_MISSING',
      message: expect.stringContaining('right') as string,
    });
    expect(right.output).toMatch(/token/);
    expect(cluster.output).not.toMatch(/secret|guessed/);
  });
});

/** Starts a process that has the name of a member, but not the token. */
function addThief(cluster: Cluster): AppProcess {
  const right = cluster.get('right');
  const thief = cluster.add('right', { token: 'guessed' });
  cluster.members.set('right', right);
  return thief;
}
