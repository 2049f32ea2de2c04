import { FOREVER, NO_DELAY, ONE_MICROSTEP, START, type Delay } from '../time/tag.js';
import { at } from './graphs.fixture.js';
import type { PartitionEdge } from './partition-edge.js';
import { ProgressReportError } from './progress-report.error.js';
import { type EdgeTag, ProgressTracker, type Report } from './progress-tracker.js';
import { ZeroDelayPartitionError } from './zero-delay-partition.error.js';

const edge = (from: number, to: number, delay: Delay = NO_DELAY): PartitionEdge => ({ from, to, delay });
const report = (partition: number, net = FOREVER, sent: EdgeTag[] = [], got: EdgeTag[] = []): Report => ({
  partition,
  net,
  sent,
  got,
});

describe('ProgressTracker', () => {
  it('treats a partition without a report as being at the start', () => {
    const tracker = new ProgressTracker(2, [edge(0, 1, at(5))], at(3));
    expect(tracker.effNET(0)).toEqual(at(3));
    expect(tracker.bound(0)).toEqual(FOREVER);
    expect(tracker.bound(1)).toEqual(at(8));
    expect(tracker.isComplete).toBe(false);
  });

  it('grants nothing to a partition before its first report', () => {
    const tracker = new ProgressTracker(2, [edge(0, 1)]);
    expect(tracker.report(report(0))).toEqual([]);
    expect(tracker.report(report(1, at(4)))).toEqual([{ partition: 1, bound: FOREVER, need: [] }]);
  });

  it('grants a source all tags', () => {
    const tracker = new ProgressTracker(1, []);
    expect(tracker.report(report(0, START))).toEqual([{ partition: 0, bound: FOREVER, need: [] }]);
    expect(tracker.report(report(0, at(7)))).toEqual([]);
  });

  it('lists the last message before the bound that must have arrived', () => {
    const tracker = new ProgressTracker(3, [edge(0, 2), edge(1, 2), edge(0, 2)]);
    for (const partition of [0, 1, 2]) tracker.report(report(partition, partition === 0 ? START : FOREVER));
    const sent: EdgeTag[] = [
      [0, at(1)],
      [0, at(2)],
      [0, at(9)],
      [2, at(5)],
    ];
    expect(tracker.report(report(0, at(5), sent))).toEqual([{ partition: 2, bound: at(5), need: [[0, at(2)]] }]);
  });

  it('counts a message as in flight until it is reported as received', () => {
    const tracker = new ProgressTracker(2, [edge(0, 1)]);
    tracker.report(report(1));
    tracker.report(report(0, FOREVER, [[0, at(2)]]));
    expect(tracker.effNET(1)).toEqual(at(2));
    expect(tracker.isComplete).toBe(false);
    tracker.report(report(1, FOREVER, [], [[0, at(2)]]));
    expect(tracker.isComplete).toBe(true);
  });

  it('does not wait for a message that was reported as received first', () => {
    const tracker = new ProgressTracker(2, [edge(0, 1)]);
    tracker.report(report(0, START));
    expect(tracker.report(report(1, at(2), [], [[0, at(2)]]))).toEqual([]);
    const [grant] = tracker.report(report(0, FOREVER, [[0, at(2)]]));
    expect(grant).toEqual({ partition: 1, bound: FOREVER, need: [] });
  });

  it('waits for nothing on an edge that its receiver has given up', () => {
    const tracker = new ProgressTracker(2, [edge(0, 1)]);
    tracker.report(report(0, FOREVER, [[0, at(2)]]));
    tracker.report(report(1, FOREVER, [], [[0, FOREVER]]));
    expect(tracker.isComplete).toBe(true);
    tracker.report(report(0, FOREVER, [[0, at(3)]]));
    expect(tracker.isComplete).toBe(true);
  });

  it('grants again only when the last grant is used up', () => {
    const tracker = new ProgressTracker(2, [edge(0, 1)]);
    tracker.report(report(0, at(10)));
    expect(tracker.report(report(1, at(5)))).toEqual([{ partition: 1, bound: at(10), need: [] }]);
    expect(tracker.report(report(0, at(20)))).toEqual([]);
    expect(tracker.report(report(1, at(9)))).toEqual([]);
    expect(tracker.report(report(1, at(10)))).toEqual([{ partition: 1, bound: at(20), need: [] }]);
  });

  it('grants nothing to a partition without events', () => {
    const tracker = new ProgressTracker(2, [edge(0, 1)]);
    tracker.report(report(1));
    for (let time = 0; time < 10; time++)
      expect(tracker.report(report(0, at(time)))).not.toContainEqual({ partition: 1 });
    expect(tracker.report(report(0))).toEqual([]);
  });

  it('raises the horizons on a cycle at once, not delay by delay', () => {
    const tracker = new ProgressTracker(3, [edge(0, 1), edge(1, 2), edge(2, 0, ONE_MICROSTEP)]);
    for (const partition of [0, 1, 2]) tracker.report(report(partition));
    expect(tracker.isComplete).toBe(true);
    expect([0, 1, 2].map((partition) => tracker.isDone(partition))).toEqual([true, true, true]);

    const far = new ProgressTracker(3, [edge(0, 1), edge(1, 2), edge(2, 0, ONE_MICROSTEP)]);
    for (const partition of [1, 2]) far.report(report(partition));
    const before = far.steps;
    far.report(report(0, at(1e15)));
    expect(far.bound(2)).toEqual(at(1e15));
    expect(far.bound(0)).toEqual(at(1e15, 1));
    expect(far.steps - before).toBeLessThan(50);
  });

  it('drops the microstep over a delay in time', () => {
    const tracker = new ProgressTracker(2, [edge(0, 1, at(10))]);
    tracker.report(report(0, at(1, 7)));
    expect(tracker.bound(1)).toEqual(at(11));
  });

  it('is done with a partition that has no events and cannot be reached', () => {
    const tracker = new ProgressTracker(2, [edge(0, 1)]);
    tracker.report(report(1));
    expect(tracker.isDone(1)).toBe(false);
    tracker.report(report(0, at(3)));
    expect([tracker.isDone(0), tracker.isDone(1)]).toEqual([false, false]);
    tracker.report(report(0));
    expect([tracker.isDone(0), tracker.isDone(1)]).toEqual([true, true]);
  });

  it('finds the earliest partition, including messages in flight', () => {
    const tracker = new ProgressTracker(3, [edge(0, 1)]);
    tracker.report(report(0, at(4), [[0, at(2)]]));
    tracker.report(report(1, at(9)));
    tracker.report(report(2, at(2)));
    expect([0, 1, 2].map((partition) => tracker.isEarliest(partition))).toEqual([false, true, true]);
  });

  describe('blockers()', () => {
    const chain = [edge(0, 1, at(5)), edge(1, 2)];

    it('finds a partition that holds up another one indirectly', () => {
      const tracker = new ProgressTracker(3, chain);
      tracker.report(report(0, at(1)));
      tracker.report(report(1));
      tracker.report(report(2, at(6)));
      expect(tracker.blockers(2)).toEqual([0]);
      tracker.report(report(0, at(2)));
      expect(tracker.blockers(2)).toEqual([]);
    });

    it('omits a partition whose progress would not help', () => {
      const tracker = new ProgressTracker(3, [edge(0, 2), edge(1, 2)]);
      tracker.report(report(0, at(3)));
      tracker.report(report(1, at(4)));
      tracker.report(report(2, at(9)));
      expect(tracker.blockers(2)).toEqual([0]);
      tracker.report(report(0, at(4)));
      expect(tracker.blockers(2).toSorted()).toEqual([0, 1]);
    });

    it('omits a partition that is held up by a message in flight', () => {
      const tracker = new ProgressTracker(3, chain);
      tracker.report(report(0, FOREVER, [[0, at(6)]]));
      tracker.report(report(1, at(8)));
      tracker.report(report(2, at(7)));
      expect(tracker.bound(2)).toEqual(at(6));
      expect(tracker.blockers(2)).toEqual([]);
    });

    it('is empty for a partition that has no event or may handle it', () => {
      const tracker = new ProgressTracker(2, [edge(0, 1)]);
      tracker.report(report(0, at(3)));
      tracker.report(report(1));
      expect(tracker.blockers(1)).toEqual([]);
      tracker.report(report(1, at(2)));
      expect(tracker.blockers(1)).toEqual([]);
    });
  });

  describe('remove()', () => {
    it('lets the others continue without the partition', () => {
      const tracker = new ProgressTracker(3, [edge(0, 1), edge(1, 2)]);
      tracker.report(report(0, START));
      tracker.report(report(2, at(8)));
      expect(tracker.remove(1)).toEqual([{ partition: 2, bound: FOREVER, need: [] }]);
      expect(tracker.isDone(1)).toBe(true);
      expect(tracker.remove(1)).toEqual([]);
    });

    it('still expects messages from the partition, but none to it', () => {
      const tracker = new ProgressTracker(3, [edge(0, 1), edge(1, 2)]);
      tracker.report(report(0, FOREVER, [[0, at(3)]]));
      tracker.report(report(1, at(3), [[1, at(1)]]));
      tracker.report(report(2));
      expect(tracker.remove(1)).toEqual([]);
      expect(tracker.effNET(1)).toEqual(FOREVER);
      expect(tracker.effNET(2)).toEqual(at(1));
      tracker.report(report(2, FOREVER, [], [[1, at(1)]]));
      expect(tracker.isComplete).toBe(true);
    });

    it('ignores later reports of the partition and messages to it', () => {
      const tracker = new ProgressTracker(2, [edge(0, 1), edge(1, 0, at(1))]);
      tracker.remove(1);
      expect(tracker.report(report(1, at(1), [[1, at(1)]]))).toEqual([]);
      tracker.report(report(0, FOREVER, [[0, at(2)]]));
      expect(tracker.isComplete).toBe(true);
      expect(tracker.blockers(1)).toEqual([]);
    });
  });

  it('rejects a cycle without delay, and names it', () => {
    const edges = [edge(0, 1), edge(1, 2), edge(2, 1)];
    expect(() => new ProgressTracker(3, edges)).toThrow(ZeroDelayPartitionError);
    expect(() => new ProgressTracker(3, edges)).toThrow(/1 → 2 → 1|2 → 1 → 2/);
  });

  it.each([
    ['of an unknown partition', report(7)],
    ['of a message on an edge of another partition', report(1, FOREVER, [[0, at(1)]])],
    ['of a message on an unknown edge', report(0, FOREVER, [[9, at(1)]])],
    ['of a message received by another partition', report(0, FOREVER, [], [[0, at(1)]])],
    ['of messages out of order', report(0, FOREVER, [[0, at(4)], [0, at(4)]])], // prettier-ignore
    ['of a message before an earlier one', report(0, FOREVER, [[0, at(3)]])],
  ])('rejects a report %s, and uses no part of it', (_, wrong) => {
    const tracker = new ProgressTracker(2, [edge(0, 1)]);
    tracker.report(report(0, at(5), [[0, at(3)]]));
    expect(() => tracker.report(wrong)).toThrow(ProgressReportError);
    expect(tracker.effNET(0)).toEqual(at(5));
    expect(tracker.report(report(0, at(5), [[0, at(4)]]))).toEqual([]);
  });
});
