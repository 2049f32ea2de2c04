import { Dataflow } from '@roost/dataflow/core';
import { diamond } from '../dataflow/diamond.js';
import { runEmbedded, runInBadWeather, runInMemory, runOverTcp } from '../dataflow/placements.js';
import { planGraph } from '../dataflow/random-graph.js';
import type { RandomNode } from '../dataflow/random-nodes.js';
import { interpret } from '../dataflow/reference.js';
import { randomSubject } from '../dataflow/subject.js';
import { LOCAL_PLACEMENTS, soakDataflow } from '../soak/dataflow.js';

const SEED = Date.now() % 1_000_000;
const TIMEOUT_MS = 120_000;

// `npm run soak` runs more of this, in several processes. A failure names the seed: `node .tsout/test/soak/dataflow.js
// 1 <seed>`.
describe('random graphs', () => {
  it(
    'behave like the reference',
    async () => {
      let firings = 0;
      for (let seed = SEED; seed < SEED + 60; seed++) {
        const plan = planGraph(seed);
        const { graph, options } = randomSubject(seed, seed);
        const dataflow = new Dataflow({ graph, ...options });
        const { status, stopTag, error, nodes } = await dataflow.run();
        const found = plan.nodes.map(({ name }) => {
          const { log = [], draws = [] } = dataflow.node<RandomNode>(name)!.behaviour ?? {};
          return { name, draws, trace: { tags: nodes[name]!.tags, firings: nodes[name]!.firings, log } };
        });

        expect({
          seed,
          error,
          status,
          stopTag,
          nodes: Object.fromEntries(found.map(({ name, trace }) => [name, trace])),
        }).toEqual({
          seed,
          error: undefined,
          ...interpret(plan, Object.fromEntries(found.map(({ name, draws }) => [name, draws]))),
        });
        firings += found.reduce((sum, { trace }) => sum + trace.firings, 0);
      }
      // Makes sure that the graphs were not idle.
      expect(firings).toBeGreaterThan(60 * 20);
    },
    TIMEOUT_MS,
  );

  it(
    'have one digest in every placement, for any delay of messages and reactions',
    async () => {
      const { problems, ...counts } = await soakDataflow({
        ...{ graphs: 20, seed: SEED, interleavings: 2, placements: LOCAL_PLACEMENTS },
      });

      expect(problems).toEqual([]);
      expect(counts.dataMessages).toBeGreaterThan(1_000);
    },
    TIMEOUT_MS,
  );
});

describe('a diamond', () => {
  it.each([
    ['in one process', runEmbedded],
    ['over an in-memory network', runInMemory],
    ['over a slow, unfair and unreliable network', runInBadWeather],
    ['over TCP', runOverTcp],
  ])(
    'joins 10,000 tags exactly, %s',
    async (_, run) => {
      const { status, error, nodes } = await run(diamond(10_000), SEED);

      expect({ error, status, firings: nodes.join?.firings }).toEqual({
        error: undefined,
        status: 'stopped',
        firings: 10_000 + 1,
      });
    },
    TIMEOUT_MS,
  );
});
