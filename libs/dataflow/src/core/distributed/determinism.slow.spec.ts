import { Dataflow } from '../index.js';
import { agreed, Cluster, randomNumbers } from './cluster.fixture.js';
import { describeRandom, randomGraph } from './random-graph.fixture.js';

const GRAPHS_PER_TEST = 10;

describe('a graph in several processes', () => {
  it.each([0, 1, 2, 3, 4, 5])(
    'gives the same result as in one process, for any interleaving (%i)',
    async (part) => {
      for (let at = 1; at <= GRAPHS_PER_TEST; at++) {
        const seed = part * GRAPHS_PER_TEST + at;
        const random = randomGraph(randomNumbers(seed));
        const graph = describeRandom(random);
        const options = random.timeout === undefined ? {} : { timeout: random.timeout };
        const expected = await new Dataflow({ graph, fast: true, ...options }).run();
        for (const window of [1, 2, 1_024]) {
          const cluster = Cluster.started({
            graph,
            placement: { processes: random.processes, ...(seed % 2 === 0 && { coordinator: 'p0' }) },
            seed: seed * 10_000 + window,
            options: { ...options, window },
          });
          const { status, stopTag, digest, nodes } = agreed(await cluster.run());
          const { status: s, stopTag: t, digest: d, nodes: n } = expected;
          expect({ seed, window, status, stopTag, digest, nodes }).toEqual({
            seed,
            window,
            status: s,
            stopTag: t,
            digest: d,
            nodes: n,
          });
        }
      }
    },
    30_000,
  );
});
