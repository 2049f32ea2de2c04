import { GraphBuilder, span } from '../index.js';
import { RecordingLogger } from '../run/graph.fixture.js';
import { FOREVER, NEVER, START, type Tag } from '../time/tag.js';
import type { PartitionGrant, PartitionReport } from './messages.js';
import { Counter, Doubler, Sink } from './nodes.fixture.js';
import { planProcesses } from './plan.js';
import { ProgressDesk } from './progress-desk.js';

const at = (time: number, microstep = 0): Tag => ({ time, microstep });

/** counter (0) → doubler (1) → sink (2), and physically from the counter to the sink. */
const setup = (isTraced = false) => {
  const builder = new GraphBuilder();
  const [counter, doubler, sink] = [builder.node(Counter), builder.node(Doubler), builder.node(Sink)];
  builder.connect(counter.out, doubler.in);
  builder.connect(doubler.out, sink.left, { after: span.ms(1) });
  builder.connectPhysical(counter.out, sink.right);
  const plan = planProcesses(builder.build(), { processes: { a: ['counter'], b: ['doubler'], c: ['sink'] } });
  const grants: PartitionGrant[] = [];
  const floors: unknown[] = [];
  const logger = new RecordingLogger();
  const desk = new ProgressDesk({
    plan,
    logger,
    isTraced,
    grant: (_, grant) => grants.push(grant),
    raiseFloor: (...args) => floors.push(args),
  });
  const report = (partition: number, more: Partial<PartitionReport> = {}): void =>
    desk.report({
      partition,
      net: FOREVER,
      hasEvents: more.net !== undefined,
      isIdle: more.net === undefined,
      isOpen: false,
      isStarved: false,
      last: START,
      safe: NEVER,
      sent: [],
      got: [],
      physicalSent: [],
      physicalGot: [],
      ...more,
    });
  return { desk, grants, floors, logger, report };
};

describe('ProgressDesk', () => {
  it('grants what can no longer be overtaken, and counts what is said', () => {
    const { desk, report, grants } = setup();
    report(0, { net: START });
    report(1, { net: START });
    report(0, { net: at(5), sent: [[0, at(5)]] });
    expect(grants).toEqual([
      { partition: 0, bound: FOREVER, need: [] },
      { partition: 1, bound: at(5), need: [] },
    ]);
    expect(desk.messages).toBe(5);
  });

  it('traces every grant', () => {
    const { report, logger } = setup(true);
    report(0, { net: START });
    expect(logger.of('log')[0]).toMatch(/^log: grant to counter: everything before/);
  });

  it('is complete when nobody has anything to do and nothing is on its way', () => {
    const { desk, report } = setup();
    report(0, { sent: [[0, at(1)]], physicalSent: [[0, at(1)]] });
    report(1);
    report(2);
    expect(desk.isComplete).toBe(false);
    report(1, { got: [[0, at(1)]] });
    expect(desk.isComplete).toBe(false);
    report(2, { physicalGot: [[0, at(1)]] });
    expect(desk.isComplete).toBe(true);
    report(1, { net: at(4) });
    expect(desk.isComplete).toBe(false);
  });

  it('is not complete when the receiver of a physical message is heard before its sender', () => {
    const { desk, report } = setup();
    for (const partition of [0, 1, 2]) report(partition);
    expect(desk.isComplete).toBe(true);
    report(2, { physicalGot: [[0, at(1)]] });
    expect(desk.isComplete).toBe(false);
  });

  it('does not wait for what was on its way to or from those who are gone', () => {
    const { desk, report } = setup();
    report(0, { sent: [[0, at(1)]], physicalSent: [[0, at(1)]] });
    report(1);
    report(2);
    desk.remove(1);
    desk.remove(1);
    expect(desk.isComplete).toBe(false);
    desk.remove(2);
    expect(desk.isComplete).toBe(true);
    report(0, { sent: [[0, at(2)]], physicalSent: [[0, at(2)]] });
    report(1, { net: at(3) });
    expect(desk.isComplete).toBe(true);
  });

  it('knows how far everybody was, also those who have yet to get there again', () => {
    const { desk, report } = setup();
    expect([desk.last, desk.notBegun(1)]).toEqual([START, START]);
    report(1, { last: at(7) });
    report(0, { last: at(9) });
    report(1, { last: at(5) });
    expect([desk.last, desk.notBegun(1), desk.notBegun(2)]).toEqual([at(9), at(7, 1), START]);
    expect(desk.resumeOf(1)).toMatchObject({ last: at(7) });
  });

  it('knows where one that was restarted goes on, and what has to come again', () => {
    const { desk, report, grants } = setup();
    expect(desk.resumeOf(1)).toBeUndefined();
    report(1, { net: START });
    report(0, { net: at(9), sent: [[0, at(3)]] });
    report(1, { last: at(3), safe: at(2), got: [[0, at(4)]], sent: [[1, at(6)]] });
    expect(desk.resumeOf(1)).toEqual({
      partition: 1,
      safe: at(2),
      last: at(3),
      // The receiver may have been heard first.
      need: [[0, at(4)]],
      sent: [[1, at(6)]],
    });
    report(0, { net: at(9), sent: [[0, at(8)]] });
    expect(desk.resumeOf(1)!.need).toEqual([[0, at(8)]]);
    grants.length = 0;
    desk.grantAgain(1);
    expect(grants).toMatchObject([{ partition: 1, bound: at(9) }]);
    report(1, { last: at(8), safe: at(8) });
    expect(desk.resumeOf(1)!.need).toEqual([]);
  });

  it('does not let one wait for what came from another that is gone', () => {
    const { desk, report } = setup();
    report(1, { net: START });
    report(0, { net: at(9), sent: [[0, at(3)]] });
    desk.remove(0);
    expect(desk.resumeOf(1)!.need).toEqual([]);
  });

  it('lets the earliest go on though a receiver has no room, whoever only waits for the outside', () => {
    const { report, grants } = setup();
    report(1, { net: at(1) });
    report(2, { net: at(1), isOpen: true, hasEvents: false, isIdle: false });
    grants.length = 0;
    report(0, { net: at(3), isStarved: true });
    expect(grants.filter(({ overdraw }) => overdraw)).toEqual([]);
    report(1, { net: at(4) });
    expect(grants.filter(({ overdraw }) => overdraw)).toMatchObject([{ partition: 0, overdraw: at(3) }]);
  });

  it('asks who may get something from outside for a promise, once for each tag', () => {
    const { report, floors } = setup();
    report(0, { net: at(1), isOpen: true, hasEvents: false, isIdle: false });
    report(1, { net: at(5) });
    report(1, { net: at(5) });
    expect(floors).toEqual([['a', 0, at(5)]]);
    report(1, { net: at(6) });
    expect(floors).toHaveLength(2);
  });
});
