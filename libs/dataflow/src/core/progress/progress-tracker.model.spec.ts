import fc from 'fast-check';
import { FOREVER, isBefore, isSame, plus, START, type Tag } from '../time/tag.js';
import { edgesAmong } from './graphs.fixture.js';
import { inOrder, NaiveProgress } from './naive-progress.fixture.js';
import { type EdgeTag, ProgressTracker, type Report } from './progress-tracker.js';

const PARTITIONS = 5;

interface Step {
  readonly partition: number;
  readonly net: Tag;
  /** Edge and step in time after the last message on that edge. */
  readonly sends: readonly (readonly [which: number, step: number])[];
  readonly gots: readonly (readonly [which: number, tag: Tag])[];
  readonly removes: boolean;
}

const tag = fc.record({ time: fc.nat({ max: 30 }), microstep: fc.nat({ max: 2 }) });
const which = fc.nat({ max: 20 });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    partition: fc.nat({ max: PARTITIONS - 1 }),
    net: fc.oneof({ weight: 3, arbitrary: tag }, { weight: 1, arbitrary: fc.constant(FOREVER) }),
    sends: fc.array(fc.tuple(which, fc.integer({ min: 1, max: 9 })), { maxLength: 3 }),
    gots: fc.array(fc.tuple(which, tag), { maxLength: 3 }),
    removes: fc.nat({ max: 29 }).map((n) => n === 0),
  }),
  { maxLength: 30 },
);

/** Includes reports that no correct partition sends: next events that move back, and messages in the past. */
describe('ProgressTracker with arbitrary reports', () => {
  it('agrees with the naive computation after each report', () => {
    fc.assert(
      fc.property(edgesAmong(PARTITIONS), steps, (edges, sequence) => {
        const tracker = new ProgressTracker(PARTITIONS, edges);
        const naive = new NaiveProgress(PARTITIONS, edges);
        const lastSent = edges.map(() => START);
        const indices = [...edges.keys()];
        const reportOf = ({ partition, net, sends, gots }: Step): Report => {
          const outgoing = indices.filter((edge) => edges[edge]!.from === partition);
          const incoming = indices.filter((edge) => edges[edge]!.to === partition);
          const sent = sends.slice(0, outgoing.length && sends.length).map(([choice, time]): EdgeTag => {
            const edge = outgoing[choice % outgoing.length]!;
            lastSent[edge] = plus(lastSent[edge]!, { time, microstep: 0 });
            return [edge, lastSent[edge]];
          });
          const got = gots
            .slice(0, incoming.length && gots.length)
            .map(([choice, last]): EdgeTag => [incoming[choice % incoming.length]!, last]);
          return { partition, net, sent, got };
        };

        for (const step of sequence) {
          if (step.removes) {
            expect(inOrder(tracker.remove(step.partition))).toEqual(naive.remove(step.partition));
          } else {
            const report = reportOf(step);
            expect(inOrder(tracker.report(report))).toEqual(naive.report(report));
          }
          const bounds = naive.bounds();
          const next = bounds.map((_, partition) => naive.effNET(partition));
          for (const partition of bounds.keys()) {
            expect(tracker.effNET(partition)).toEqual(next[partition]);
            expect(tracker.bound(partition)).toEqual(bounds[partition]);
            expect(tracker.isEarliest(partition)).toBe(!next.some((other) => isBefore(other, next[partition]!)));
            expect(naive.blockers(partition)).toEqual(expect.arrayContaining(tracker.blockers(partition)));
            const isHeldBack = !isSame(next[partition]!, FOREVER) && !isBefore(next[partition]!, bounds[partition]!);
            const isQuiet = indices.every((edge) => naive.inFlight(edge).length === 0);
            if (isHeldBack && isQuiet) expect(tracker.blockers(partition)).not.toEqual([]);
          }
          expect(tracker.isComplete).toBe(next.every((one) => isSame(one, FOREVER)));
        }
      }),
      { numRuns: 500 },
    );
  });
});
