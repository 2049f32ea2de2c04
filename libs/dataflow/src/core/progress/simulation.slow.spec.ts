import fc from 'fast-check';
import { acyclicGraphs, at, diamond, graphs, loop } from './graphs.fixture.js';
import { type Interleaving, type Outcome, runInOrder, Simulation } from './simulation.fixture.js';

const interleavings: fc.Arbitrary<Interleaving> = fc.record({ seed: fc.integer(), batches: fc.boolean() });
const inBatches = (seed: number): Interleaving => ({ seed, batches: true });
const ratio = ({ controlMessages, dataMessages }: Outcome): number => controlMessages / dataMessages;

describe('simulated partitions', () => {
  it('see the same in every interleaving, nothing too late, and complete', () => {
    fc.assert(
      fc.property(graphs, fc.array(interleavings, { minLength: 3, maxLength: 3 }), (graph, ways) => {
        const expected = runInOrder(graph);
        for (const way of ways) {
          const simulation = new Simulation(graph, way);
          expect(simulation.run().traces).toEqual(expected);
          expect(simulation.tracker.isComplete).toBe(true);
          for (const index of graph.partitions.keys()) expect(simulation.tracker.isDone(index)).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('need at most one control message per data message in a diamond', () => {
    const graph = diamond(40);
    const expected = runInOrder(graph);
    for (let seed = 0; seed < 50; seed++) {
      const outcome = new Simulation(graph, inBatches(seed)).run();
      expect(outcome.traces).toEqual(expected);
      expect(ratio(outcome)).toBeLessThanOrEqual(1);
    }
  });

  it('need at most one control message per data message without cycles', () => {
    fc.assert(
      fc.property(acyclicGraphs(40), fc.integer(), (graph, seed) => {
        fc.pre(graph.edges.length > 0);
        const outcome = new Simulation(graph, inBatches(seed)).run();
        expect(outcome.traces).toEqual(runInOrder(graph));
        expect(ratio(outcome)).toBeLessThanOrEqual(1);
      }),
      { numRuns: 50 },
    );
  });

  it.each([at(0, 1), at(1), at(1_000_000)])(
    'need at most four control messages per data message in a cycle closed with %j',
    (closing) => {
      for (const size of [2, 3, 6]) {
        const graph = loop(size, 20, 1_000_000_000, closing);
        const expected = runInOrder(graph);
        for (let seed = 0; seed < 4; seed++) {
          const outcome = new Simulation(graph, inBatches(seed)).run();
          expect(outcome.traces).toEqual(expected);
          expect(ratio(outcome)).toBeLessThanOrEqual(4);
        }
      }
    },
  );
});
