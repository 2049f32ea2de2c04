import { Dataflow, type DataflowReport, type GraphBuilder, span } from '../index.js';
import { agreed, Cluster, randomNumbers } from './cluster.fixture.js';
import { Counter, Doubler, Sink } from './nodes.fixture.js';
import { describeRandom, randomGraph } from './random-graph.fixture.js';

const diamond = (g: GraphBuilder): void => {
  const [counter, doubler, sink] = [g.node(Counter), g.node(Doubler, { onCrash: 'fail' }), g.node(Sink)];
  g.connect(counter.out, doubler.in, { after: span.ms(1) });
  g.connect(doubler.out, sink.left);
  g.connect(counter.out, sink.right);
};
const placement = { processes: { a: ['counter'], b: ['doubler'], c: ['sink'] } };

/** Cuts links at random for less than crashAfterMs, until the run has ended. */
async function cutAtRandom(cluster: Cluster): Promise<void> {
  const { names, network } = cluster;
  const pairs = names.flatMap((a, at) => names.slice(at + 1).map((b) => ({ a, b, isCut: false, untilMs: 0 })));
  while (!cluster.isOver) {
    await cluster.step();
    for (const pair of pairs) {
      const isTime = cluster.nowMs >= pair.untilMs;
      if (pair.isCut && (isTime || cluster.random() < 0.05)) {
        network.heal(pair.a, pair.b);
        Object.assign(pair, { isCut: false, untilMs: cluster.nowMs + 100 });
      } else if (!pair.isCut && isTime && cluster.random() < 0.02) {
        const keep = (): number => Math.floor(cluster.random() * 4);
        network.cut(pair.a, pair.b, keep(), keep());
        Object.assign(pair, { isCut: true, untilMs: cluster.nowMs + cluster.random() * 3_000 });
      }
    }
  }
}

const errors = (reports: Record<string, DataflowReport>): (string | undefined)[] =>
  Object.values(reports).map(({ error }) => error?.code);

describe('a broken link', () => {
  it('loses nothing when it heals in time, wherever it was cut', async () => {
    const alone = await new Dataflow({ graph: diamond, fast: true }).run();
    for (let seed = 1; seed <= 25; seed++) {
      const cluster = Cluster.started({ graph: diamond, placement, seed, options: { window: 1 + (seed % 3) } });
      await cutAtRandom(cluster);
      const { status, stopTag, digest } = agreed(await cluster.run());
      expect({ seed, status, stopTag, digest }).toEqual({
        seed,
        status: alone.status,
        stopTag: alone.stopTag,
        digest: alone.digest,
      });
    }
  });

  it('loses nothing in random graphs', async () => {
    for (let seed = 1; seed <= 15; seed++) {
      const { timeout, processes, ...plan } = randomGraph(randomNumbers(1_000 + seed));
      const graph = describeRandom({ timeout, processes, ...plan });
      const options = timeout === undefined ? {} : { timeout };
      const alone = await new Dataflow({ graph, fast: true, ...options }).run();
      const cluster = Cluster.started({ graph, placement: { processes }, seed, options });
      await cutAtRandom(cluster);
      const { status, stopTag, nodes } = agreed(await cluster.run());
      expect({ seed, status, stopTag, nodes }).toEqual({
        seed,
        status: alone.status,
        stopTag: alone.stopTag,
        nodes: alone.nodes,
      });
    }
  });

  it('ends the run when it does not heal within crashAfterMs between two reachable processes', async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const cluster = Cluster.started({ graph: diamond, placement, seed, options: { window: 1 } });
      await cluster.until(() => cluster.node<Sink>('sink').seen.length >= 3);
      cluster.network.cut('a', 'c');
      const reports = await cluster.run();
      expect(errors(reports)).toEqual(Array.from({ length: 4 }, () => 'DATAFLOW_LINK_LOST'));
      expect(reports['b']!.error!.message).toMatch(/Process "[ac]" has not reached "[ac]" for 5 s/);
    }
  });

  it('ends the run when it was never established', async () => {
    const cluster = new Cluster({ graph: diamond, placement });
    cluster.network.cut('a', 'b');
    for (const name of cluster.names) cluster.start(name);
    expect(errors(await cluster.run())).toEqual(Array.from({ length: 4 }, () => 'DATAFLOW_LINK_LOST'));
  });

  it('makes a process lost when it is the link to the coordinator', async () => {
    const cluster = Cluster.started({ graph: diamond, placement, seed: 6 });
    await cluster.until(() => cluster.node<Sink>('sink').seen.length >= 3);
    cluster.network.cut('a', 'coordinator');
    const { a, ...reports } = await cluster.run();
    expect(a!.error!.code).toBe('DATAFLOW_COORDINATOR_LOST');
    expect(errors(reports)).toEqual(Array.from({ length: 3 }, () => 'DATAFLOW_PROCESS_LOST'));
  });

  it('is waited for when only the final message is missing', async () => {
    const cluster = Cluster.started({ graph: diamond, placement, seed: 7 });
    const sink = cluster.node<Sink>('sink');
    await cluster.until(() => sink.shutdowns === 1);
    cluster.network.cut('c', 'coordinator');
    await cluster.runFor(3_000);
    cluster.network.heal('c', 'coordinator');
    expect(agreed(await cluster.run())).toMatchObject({ status: 'completed', exitCode: 0 });
  });
});
