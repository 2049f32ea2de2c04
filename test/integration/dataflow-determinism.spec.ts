import { Dataflow } from '@roost/dataflow/core';
import { interpret } from '../dataflow/reference.js';
import { type GraphPlan, planGraph } from '../dataflow/random-graph.js';
import { graphOf, type RandomNode } from '../dataflow/random-nodes.js';
import { Random } from '../soak/random.js';

// More of it, over processes and brokers: `npm run soak`.
const GRAPHS = 100;
const INTERLEAVINGS = 3;

/** Reactions wait now and then, each time differently. */
function waits(seed: number): () => Promise<void> | undefined {
  const random = new Random(seed);
  const wait = async (turns: number): Promise<void> => {
    for (let turn = 0; turn < turns; turn++) {
      if (random.chance(0.5)) await new Promise((resolve) => setImmediate(resolve));
      else await Promise.resolve();
    }
  };
  return () => (random.chance(0.3) ? wait(random.between(0, 4)) : undefined);
}

const embedded = (plan: GraphPlan, interleaving: number): Dataflow =>
  new Dataflow({ graph: graphOf(plan, waits(interleaving)), fast: true, timeout: plan.timeout });

describe('random graphs', () => {
  const first = Date.now() % 1_000_000;
  const seeds = Array.from({ length: GRAPHS }, (_, n) => first + n);

  it('do what the reference does', async () => {
    let firings = 0;
    for (const seed of seeds) {
      const plan = planGraph(seed);
      const dataflow = embedded(plan, 0);
      const { status, stopTag, error, nodes } = await dataflow.run();
      const behaviourOf = (name: string) => dataflow.node<RandomNode>(name)!.behaviour;
      const names = plan.nodes.map(({ name }) => name);
      const expected = interpret(plan, Object.fromEntries(names.map((name) => [name, behaviourOf(name)?.draws ?? []])));
      const found = names.map((name) => {
        const { tags, firings } = nodes[name]!;
        return [name, { tags, firings, log: behaviourOf(name)?.log ?? [] }];
      });

      expect({ seed, error, status, stopTag, nodes: Object.fromEntries(found) }).toEqual({
        seed,
        error: undefined,
        ...expected,
      });
      firings += Object.values(nodes).reduce((sum, node) => sum + node.firings, 0);
    }
    // Not for want of anything happening.
    expect(firings).toBeGreaterThan(20 * GRAPHS);
  });

  it('have one digest, however their reactions wait', async () => {
    for (const seed of seeds) {
      const digests = new Set<string>();
      for (let n = 0; n < INTERLEAVINGS; n++) digests.add((await embedded(planGraph(seed), seed + n).run()).digest);

      expect({ seed, digests: digests.size }).toEqual({ seed, digests: 1 });
    }
  });
});
