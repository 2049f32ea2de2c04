import { AppProcess } from '../../support/app-process.js';
import { type Broker, installBrokers, startNats } from '../../support/brokers.js';
import { GateKeeper } from '../workers/launch/support/gate-keeper.js';
import { get } from '../../support/http-client.js';
import type { Plan } from './fixtures/plan.js';
import { Cluster } from './support/cluster.js';
import { embedded } from './support/printed.js';

const { jest } = import.meta;
jest.setTimeout(30_000);

const CLEAN = { code: 0, signal: null };
const ALL_CLEAN = { left: CLEAN, right: CLEAN, last: CLEAN, coordinator: CLEAN };

let broker: Broker;
let gates: GateKeeper;
beforeAll(async () => {
  await installBrokers();
  [broker, gates] = await Promise.all([startNats(), GateKeeper.start()]);
}, 300_000);
afterEach(() => AppProcess.killAll());
afterAll(() => Promise.all([broker.stop(), gates.close()]));

/** Makes names unique, because several tests share the broker. */
let runs = 0;
const placement = () => ({
  app: `services-${process.pid}-${++runs}`,
  processes: { left: ['source'], right: ['double'], last: ['sink'] },
});

const TRANSPORTS: [name: string, plan: () => Plan][] = [
  ['TCP', () => ({ placement: placement() })],
  ['NATS', () => ({ placement: placement(), natsPort: broker.port })],
];

const expectCleanStop = (cluster: Cluster): void => {
  const { tags, handled } = cluster.stops();
  expect([...tags]).toHaveLength(1);
  expect(new Set(Object.values(handled)).size).toBe(1);
  expect(cluster.output).not.toMatch(/^wrong/m);
};

describe.each(TRANSPORTS)('microservices over %s', (_, base) => {
  it('give the same result as one process, and exit with the graph', async () => {
    const plan: Plan = { count: 60, periodMs: 2 };
    const cluster = await Cluster.start({ ...base(), ...plan }, 'service.js');
    const alone = await embedded(plan);
    expect(await cluster.end()).toEqual(ALL_CLEAN);
    for (const member of cluster.members.values()) {
      expect(member.report).toMatchObject({ status: 'completed', exitCode: 0, digest: alone.digest });
    }
    expectCleanStop(cluster);
  });

  it.each(['coordinator', 'last'])('stop at one tag when %s gets SIGTERM', async (name) => {
    const cluster = await Cluster.running(base(), 'service.js');
    cluster.get(name).kill('SIGTERM');
    expect(await cluster.end()).toEqual(ALL_CLEAN);
    for (const [process, { report, output }] of cluster.members) {
      expect(report).toMatchObject({ status: 'stopped', exitCode: 0 });
      const reason = process === name ? 'process-terminate (SIGTERM)' : 'dataflow-ended (stopped)';
      expect(output).toContain(`shutdown started: ${reason}`);
    }
    expectCleanStop(cluster);
  });
});

describe('a microservice in an HTTP application', () => {
  it('is healthy while the graph runs, and unhealthy once shutdown begins', async () => {
    const cluster = await Cluster.prepare({ placement: placement() }, 'service.js');
    for (const name of ['left', 'last', 'coordinator']) cluster.add(name);
    const hybrid = cluster.add('right', { http: true, gatePort: gates.port });
    const port = Number(/\d+$/.exec(await hybrid.line(/^serving at/))![0]);
    await cluster.get('last').line(/^got 10$/);
    const healthy = await get(port, '/health');
    expect(healthy.status).toBe(200);
    expect(JSON.parse(healthy.body)).toMatchObject({ info: { dataflow: { status: 'up', state: 'running' } } });
    hybrid.kill('SIGTERM');
    const gate = await gates.next('stopping');
    const stopping = await get(port, '/health');
    expect(stopping.status).toBe(503);
    expect(JSON.parse(stopping.body)).toMatchObject({ error: { dataflow: { status: 'down' } } });
    gate.open();
    expect(await cluster.end()).toEqual(ALL_CLEAN);
    expectCleanStop(cluster);
  });
});
