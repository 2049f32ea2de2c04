import { serialize } from 'node:v8';
import { type GraphBuilder, span } from '../index.js';
import { GraphBuilder as Builder } from '../graph/builder.js';
import { LinkHub } from '../link/link-hub.js';
import { FOREVER, NEVER, START } from '../time/tag.js';
import { Cluster, settle } from './cluster.fixture.js';
import { decode, encode } from './wire/codec.js';
import type { ProtocolMessage, PartitionReport } from './wire/messages.js';
import { Counter, Doubler, Sink } from './nodes.fixture.js';
import { planProcesses } from './plan.js';

const graph = (g: GraphBuilder): void => {
  const [counter, doubler, sink] = [g.node(Counter), g.node(Doubler, { onCrash: 'fail' }), g.node(Sink)];
  g.connect(counter.out, doubler.in, { after: span.ms(1) });
  g.connect(doubler.out, sink.left);
  g.connectPhysical(doubler.out, sink.right);
};
const placement = { processes: { a: ['counter'], b: ['doubler'], c: ['sink'] } };
const version = (): string => {
  const builder = new Builder();
  graph(builder);
  return planProcesses(builder.build(), placement, { fast: true, seed: 'roost', isReplay: false }).version;
};

/** Joins a run as process "b", to send messages that violate the protocol. */
async function join(
  cluster: Cluster,
  app = 'dataflow',
  token?: string,
): Promise<{ hub: LinkHub; heard: ProtocolMessage[] }> {
  const heard: ProtocolMessage[] = [];
  const hub = await LinkHub.open({
    transport: cluster.network,
    identity: { app, name: 'b', maxFrameBytes: 1_000_000, ...(token && { token }) },
    clock: cluster.get('coordinator').clock,
    onMessage: (peer, bytes) => heard.push(decode(bytes, peer)),
    onPeer: () => undefined,
    onError: () => undefined,
  });
  cluster.listen('b');
  hub.connect('coordinator');
  hub.send('coordinator', encode({ kind: 'join', version: version(), address: 'b' }));
  return { hub, heard };
}

const report: PartitionReport = {
  partition: 1,
  net: FOREVER,
  hasEvents: false,
  isIdle: true,
  isOpen: false,
  isBlocked: false,
  lastTag: START,
  checkpoint: NEVER,
  sent: [],
  got: [],
  physicalSent: [],
  physicalGot: [],
};
const tag = { time: 1, microstep: 0 };
const data = (edge: number, payload: Uint8Array): Uint8Array => encode({ kind: 'data', edge, tag, payload });
const saying = (message: ProtocolMessage): Uint8Array => encode(message);
const MALFORMED = 'DATAFLOW_MALFORMED_MESSAGE';
const NOT_OWN = 'DATAFLOW_PROGRESS_REPORT';

const TO_COORDINATOR: [what: string, bytes: Uint8Array, code: string][] = [
  ['an empty message', new Uint8Array(), MALFORMED],
  ['an unknown kind', new Uint8Array([77, 1, 2]), MALFORMED],
  ['a kind that names an object method', new Uint8Array([0, ...serialize({ kind: 'constructor' })]), MALFORMED],
  [
    'a report for a partition of another process',
    saying({ kind: 'report', report: { ...report, partition: 0 } }),
    MALFORMED,
  ],
  ['a report for an unknown partition', saying({ kind: 'report', report: { ...report, partition: 99 } }), MALFORMED],
  [
    'the end of a partition of another process',
    saying({ kind: 'partition-stopped', partition: 2, nodes: {}, dataMessages: 0 }),
    MALFORMED,
  ],
  [
    'a stop answer for a partition of another process',
    saying({ kind: 'stop-answer', round: 1, partition: 0, tag }),
    MALFORMED,
  ],
  [
    'a sent message on an edge of another partition',
    saying({ kind: 'report', report: { ...report, sent: [[0, tag]] } }),
    NOT_OWN,
  ],
  [
    'a received message on an edge of another partition',
    saying({ kind: 'report', report: { ...report, got: [[1, tag]] } }),
    NOT_OWN,
  ],
  [
    'a sent message on an unknown physical edge',
    saying({ kind: 'report', report: { ...report, physicalSent: [[7, tag]] } }),
    NOT_OWN,
  ],
  [
    'a received message on its own outgoing physical edge',
    saying({ kind: 'report', report: { ...report, physicalGot: [[0, tag]] } }),
    NOT_OWN,
  ],
];

const TO_PEER: [what: string, bytes: Uint8Array][] = [
  ['data over an edge of another process', data(0, new Uint8Array(serialize(1)))],
  ['data over an unknown edge', data(9, new Uint8Array(serialize(1)))],
  ['data that cannot be decoded', data(1, new Uint8Array([1, 2, 3]))],
  ['data that is not plain data', data(1, new Uint8Array(serialize(new Map())))],
  ['credit for an edge of another process', saying({ kind: 'credit', edge: 0, tag })],
];

describe('a process that violates the protocol', () => {
  const others = ['a', 'c', 'coordinator'];

  it.each(TO_COORDINATOR)('ends the run when it sends the coordinator %s', async (_, bytes, code) => {
    const cluster = new Cluster({ graph, placement });
    for (const name of others) cluster.start(name);
    await settle();
    const { hub, heard } = await join(cluster);
    await cluster.until(() => heard.some(({ kind }) => kind === 'start'));
    hub.send('coordinator', bytes);
    await cluster.until(() => heard.some(({ kind }) => kind === 'force'));
    await hub.close();
    const reports = await cluster.run();
    for (const name of others) expect(reports[name]).toMatchObject({ status: 'forced', exitCode: 1, error: { code } });
  });

  it.each(TO_PEER)('ends the run when it sends a peer %s', async (_, bytes) => {
    const cluster = new Cluster({ graph, placement });
    for (const name of others) cluster.start(name);
    await settle();
    const { hub, heard } = await join(cluster);
    await cluster.until(() => heard.some(({ kind }) => kind === 'start'));
    hub.connect('c');
    hub.send('c', bytes);
    await cluster.until(() => heard.some(({ kind }) => kind === 'force'));
    await hub.close();
    const reports = await cluster.run();
    for (const name of others) expect(reports[name]).toMatchObject({ status: 'forced', error: { code: MALFORMED } });
  });

  it('cannot impersonate the coordinator', async () => {
    const cluster = new Cluster({ graph, placement });
    for (const name of others) cluster.start(name);
    await settle();
    const { hub, heard } = await join(cluster);
    await cluster.until(() => heard.some(({ kind }) => kind === 'start'));
    hub.connect('c');
    hub.send('c', saying({ kind: 'force', code: 'X', message: 'x', exitCode: 9 }));
    hub.send('c', saying({ kind: 'stop-decision', tag, isFinal: true }));
    await cluster.runFor(1_000);
    expect(cluster.get('c').report).toBeUndefined();
    hub.send('coordinator', saying({ kind: 'failed', code: 'MINE', message: 'mine', exitCode: 4 }));
    await cluster.until(() => heard.some(({ kind }) => kind === 'force'));
    await hub.close();
    for (const one of Object.values(await cluster.run()))
      expect(one).toMatchObject({ exitCode: 4, error: { code: 'MINE' } });
  });
});
