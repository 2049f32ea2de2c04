import {
  Dataflow,
  type DataflowReport,
  type GraphBuilder,
  placeInProcess,
  type ProcessOptions,
  span,
} from '../index.js';
import { tcp } from '../link/tcp.js';
import { RecordingLogger } from '../run/graph.fixture.js';
import { agreed } from './cluster.fixture.js';
import { Doubler, Sink, Ticker } from './nodes.fixture.js';

const graph = (g: GraphBuilder): void => {
  const [ticker, doubler, sink] = [g.node(Ticker), g.node(Doubler), g.node(Sink)];
  g.connect(ticker.out, doubler.in);
  g.connect(doubler.out, sink.left);
  g.connect(ticker.out, sink.right, { after: span.ms(3) });
};
const placement = { processes: { a: ['ticker'], b: ['doubler'], c: ['sink'] } };
const settings = { graph, fast: true, timeout: span.ms(200) };

/** Starts the coordinator, and the others once its address is known. */
async function run(own: Record<string, Partial<ProcessOptions>> = {}): Promise<Record<string, DataflowReport>> {
  const reports: Record<string, Promise<DataflowReport>> = {};
  const start = (process: string, more: Partial<ProcessOptions>): void => {
    const options = { ...settings, logger: new RecordingLogger(), ...more, ...own[process] };
    const place = placeInProcess({ placement, transport: tcp(), ...options, process });
    reports[process] = new Dataflow(options, undefined, place).run();
  };
  const coordinatorAddress = await new Promise<string>((listening) => start('coordinator', { listening }));
  for (const process of ['a', 'b', 'c']) start(process, { coordinatorAddress });
  const entries = Object.entries(reports).map(async ([name, one]): Promise<[string, DataflowReport]> => [
    name,
    await one,
  ]);
  return Object.fromEntries(await Promise.all(entries));
}

describe('processes over TCP', () => {
  it('give the same result as one process', async () => {
    const alone = await new Dataflow(settings).run();
    const { status, stopTag, digest, nodes } = agreed(await run());
    expect({ status, stopTag, digest, nodes }).toEqual({
      status: alone.status,
      stopTag: alone.stopTag,
      digest: alone.digest,
      nodes: alone.nodes,
    });
  });

  it.each<[string, Partial<ProcessOptions>]>([
    ['another token', { token: 'other' }],
    ['another app', { placement: { ...placement, app: 'other' } }],
  ])('refuse a process with %s, and report it as missing', async (_, own) => {
    const others = { token: 'ours', joinTimeoutMs: 300 };
    const reports = await run({ a: others, c: others, coordinator: others, b: { ...others, ...own } });
    for (const name of ['a', 'c', 'coordinator']) {
      expect(reports[name]).toMatchObject({ status: 'forced', exitCode: 1 });
      expect(reports[name]!.error!.message).toContain('did not join within 300 ms: b.');
    }
    expect(reports['b']!.error!.message).toContain('did not join within 300 ms: coordinator.');
  });
});
