import { Dataflow } from '../index.js';
import { agreed, Cluster, randomNumbers } from './cluster.fixture.js';
import { describeRandom, randomGraph } from './random-graph.fixture.js';

describe('a graph over processes', () => {
  it('comes to the same as in one, whatever the interleaving', async () => {
    for (let seed = 1; seed <= Number(process.env["SEEDS"] ?? 60); seed++) {
      const plan = randomGraph(randomNumbers(seed));
      const graph = describeRandom(plan);
      const { timeout } = plan;
      const alone = await new Dataflow({ graph, fast: true, ...(timeout !== undefined && { timeout }) }).run();
      for (const interleaving of [1, 2, 3]) {
        const window = [1, 2, 1_024][interleaving - 1]!;
        const cluster = Cluster.started({
          graph,
          placement: { processes: plan.processes, ...(seed % 2 === 0 && { coordinator: 'p9' }) },
          seed: seed * 100 + interleaving,
          options: { window, ...(timeout !== undefined && { timeout }) },
        });
        const { status, stopTag, digest, nodes } = agreed(await cluster.run());
        if (status === "forced") throw new Error(cluster.show());
        const { status: s, stopTag: t, digest: d, nodes: n } = alone;
        expect({ seed, interleaving, status, stopTag, digest, nodes }).toEqual({ seed, interleaving, status: s, stopTag: t, digest: d, nodes: n });
      }
    }
  });
});
