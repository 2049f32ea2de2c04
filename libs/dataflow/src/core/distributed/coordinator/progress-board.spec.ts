import { GraphBuilder, span } from '../../index.js';
import { RecordingLogger } from '../../run/graph.fixture.js';
import { FOREVER, NEVER, START, type Tag } from '../../time/tag.js';
import type { PartitionGrant, PartitionReport } from '../wire/messages.js';
import { Counter, Doubler, Sink } from '../nodes.fixture.js';
import { planProcesses } from '../plan.js';
import { ProgressBoard } from './progress-board.js';

const at = (time: number, microstep = 0): Tag => ({ time, microstep });

/** counter (0) → doubler (1) → sink (2), and a physical edge from the counter to the sink. */
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
  const board = new ProgressBoard({
    plan,
    logger,
    isTraced,
    grant: (_, grant) => grants.push(grant),
    raiseFloor: (...args) => floors.push(args),
  });
  const report = (partition: number, more: Partial<PartitionReport> = {}): void =>
    board.report({
      partition,
      net: FOREVER,
      hasEvents: more.net !== undefined,
      isIdle: more.net === undefined,
      isOpen: false,
      isBlocked: false,
      lastTag: START,
      checkpoint: NEVER,
      sent: [],
      got: [],
      physicalSent: [],
      physicalGot: [],
      ...more,
    });
  return { board, grants, floors, logger, report };
};

describe('ProgressBoard', () => {
  it('grants tags that no message can precede, and counts control messages', () => {
    const { board, report, grants } = setup();
    report(0, { net: START });
    report(1, { net: START });
    report(0, { net: at(5), sent: [[0, at(5)]] });
    expect(grants).toEqual([
      { partition: 0, bound: FOREVER, need: [] },
      { partition: 1, bound: at(5), need: [] },
    ]);
    expect(board.messages).toBe(5);
  });

  it('traces every grant', () => {
    const { report, logger } = setup(true);
    report(0, { net: START });
    expect(logger.of('log')[0]).toMatch(/^log: granted counter every tag before/);
  });

  it('is complete when all partitions are idle and no message is in flight', () => {
    const { board, report } = setup();
    report(0, { sent: [[0, at(1)]], physicalSent: [[0, at(1)]] });
    report(1);
    report(2);
    expect(board.isComplete).toBe(false);
    report(1, { got: [[0, at(1)]] });
    expect(board.isComplete).toBe(false);
    report(2, { physicalGot: [[0, at(1)]] });
    expect(board.isComplete).toBe(true);
    report(1, { net: at(4) });
    expect(board.isComplete).toBe(false);
  });

  it('is not complete when the receiver of a physical message reports before its sender', () => {
    const { board, report } = setup();
    for (const partition of [0, 1, 2]) report(partition);
    expect(board.isComplete).toBe(true);
    report(2, { physicalGot: [[0, at(1)]] });
    expect(board.isComplete).toBe(false);
  });

  it('does not wait for messages to or from removed partitions', () => {
    const { board, report } = setup();
    report(0, { sent: [[0, at(1)]], physicalSent: [[0, at(1)]] });
    report(1);
    report(2);
    board.remove(1);
    board.remove(1);
    expect(board.isComplete).toBe(false);
    board.remove(2);
    expect(board.isComplete).toBe(true);
    report(0, { sent: [[0, at(2)]], physicalSent: [[0, at(2)]] });
    report(1, { net: at(3) });
    expect(board.isComplete).toBe(true);
  });

  it('keeps the latest tag of a partition that is catching up after a restart', () => {
    const { board, report } = setup();
    expect([board.lastTag, board.notBegun(1)]).toEqual([START, START]);
    report(1, { lastTag: at(7) });
    report(0, { lastTag: at(9) });
    report(1, { lastTag: at(5) });
    expect([board.lastTag, board.notBegun(1), board.notBegun(2)]).toEqual([at(9), at(7, 1), START]);
    expect(board.resumePointOf(1)).toMatchObject({ lastTag: at(7) });
  });

  it('computes the resume point of a restarted partition, with the messages to resend', () => {
    const { board, report, grants } = setup();
    expect(board.resumePointOf(1)).toBeUndefined();
    report(1, { net: START });
    report(0, { net: at(9), sent: [[0, at(3)]] });
    report(1, { lastTag: at(3), checkpoint: at(2), got: [[0, at(4)]], sent: [[1, at(6)]] });
    expect(board.resumePointOf(1)).toEqual({
      partition: 1,
      checkpoint: at(2),
      lastTag: at(3),
      // The receiver may have reported first.
      need: [[0, at(4)]],
      sent: [[1, at(6)]],
    });
    report(0, { net: at(9), sent: [[0, at(8)]] });
    expect(board.resumePointOf(1)!.need).toEqual([[0, at(8)]]);
    grants.length = 0;
    board.grantAgain(1);
    expect(grants).toMatchObject([{ partition: 1, bound: at(9) }]);
    report(1, { lastTag: at(8), checkpoint: at(8) });
    expect(board.resumePointOf(1)!.need).toEqual([]);
  });

  it('does not make a restarted partition wait for messages from a removed sender', () => {
    const { board, report } = setup();
    report(1, { net: START });
    report(0, { net: at(9), sent: [[0, at(3)]] });
    board.remove(0);
    expect(board.resumePointOf(1)!.need).toEqual([]);
  });

  it('lets the earliest blocked partition overdraw, ignoring partitions that only wait for external input', () => {
    const { report, grants } = setup();
    report(1, { net: at(1) });
    report(2, { net: at(1), isOpen: true, hasEvents: false, isIdle: false });
    grants.length = 0;
    report(0, { net: at(3), isBlocked: true });
    expect(grants.filter(({ overdraw }) => overdraw)).toEqual([]);
    report(1, { net: at(4) });
    expect(grants.filter(({ overdraw }) => overdraw)).toMatchObject([{ partition: 0, overdraw: at(3) }]);
  });

  it('requests a higher floor from a partition with external input, once per tag', () => {
    const { report, floors } = setup();
    report(0, { net: at(1), isOpen: true, hasEvents: false, isIdle: false });
    report(1, { net: at(5) });
    report(1, { net: at(5) });
    expect(floors).toEqual([['a', 0, at(5)]]);
    report(1, { net: at(6) });
    expect(floors).toHaveLength(2);
  });
});
