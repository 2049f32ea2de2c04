import { ManualClock } from '@roost/time/testing';
import type { Partition } from '../engine/partition.js';
import { Timeline } from '../engine/timeline.js';
import { GraphBuilder, span } from '../index.js';
import { FOREVER, NEVER, START, type Tag } from '../time/tag.js';
import type { PartitionReport, Resume } from './messages.js';
import { Counter, Doubler, Sink } from './nodes.fixture.js';
import { type CrossEdge, planProcesses } from './plan.js';
import { ProtocolGate } from './protocol-gate.js';

const at = (time: number, microstep = 0): Tag => ({ time, microstep });

/** The gate of the node in the middle, with a partition that does nothing. */
const setup = ({ onCrash = 'fail', window = 2 }: { onCrash?: 'fail' | 'restart'; window?: number } = {}) => {
  const builder = new GraphBuilder();
  const [counter, doubler, sink] = [
    builder.node(Counter),
    builder.node(Doubler, { onCrash }),
    builder.node(Sink, { onCrash }),
  ];
  builder.connect(counter.out, doubler.in);
  builder.connect(doubler.out, sink.left, { after: span.ms(1) });
  const plan = planProcesses(builder.build(), { processes: { a: ['counter'], b: ['doubler'], c: ['sink'] } });
  const [into, out] = plan.logical as [CrossEdge, CrossEdge];
  const scheduler = {
    tag: NEVER,
    next: undefined as Tag | undefined,
    stopTag: undefined as Tag | undefined,
    earliestStop: START,
    floor: START,
    lastArrival: NEVER,
    acceptsPhysical: true,
    isOpen: false,
    stopAt(tag: Tag): void {
      this.stopTag = tag;
    },
  };
  const reports: PartitionReport[] = [];
  const credit: unknown[] = [];
  let wakes = 0;
  const partition = { scheduler, wake: () => wakes++ } as unknown as Partition;
  const gate = new ProtocolGate(partition, plan.partitions[1]!, plan, {
    timeline: new Timeline(new ManualClock()),
    isFast: true,
    isReplay: false,
    window,
    report: (report) => reports.push(report),
    giveCredit: ({ model }, tag) => credit.push([model.index, tag]),
    planReached: () => undefined,
  });
  const receive = (tag: Tag): void => {
    if (gate.isNew(into, tag)) gate.received(into, tag, tag);
  };
  const handle = (tag: Tag, next?: Tag): void => {
    Object.assign(scheduler, { tag, next });
    gate.handled(tag);
  };
  const grant = (bound: Tag, need: Tag[] = []): void =>
    gate.granted({ partition: 1, bound, need: need.map((tag) => [0, tag] as const) });
  return { gate, scheduler, reports, credit, receive, handle, grant, into, out, wakes: () => wakes };
};

const resume: Resume = { partition: 1, safe: at(5), last: at(9), sent: [[1, at(8)]], need: [[0, at(10)]] };

describe('ProtocolGate', () => {
  it('admits what was granted, once what is needed for it has come', () => {
    const { gate, grant, receive } = setup();
    expect(gate.admits(START)).toBe(false);
    grant(at(10), [at(7)]);
    expect(gate.admits(at(3))).toBe(false);
    // Said again, for another reason.
    gate.granted({ partition: 1, bound: at(10), need: [], overdraw: at(3) });
    expect(gate.admits(at(3))).toBe(false);
    receive(at(7));
    expect([gate.admits(at(9, 99)), gate.admits(at(10))]).toEqual([true, false]);
  });

  it('admits what every connection has outrun', () => {
    const { gate, receive } = setup();
    receive(at(7));
    expect([gate.admits(at(7)), gate.admits(at(7, 1))]).toEqual([true, false]);
  });

  it('admits nothing from the barrier on', () => {
    const { gate, grant } = setup();
    grant(FOREVER);
    gate.barrier = at(5);
    expect([gate.admits(at(4)), gate.admits(at(5))]).toEqual([true, false]);
  });

  it('admits nothing while a receiver has no room, unless it is told to', () => {
    const { gate, grant, out } = setup({ window: 1 });
    grant(FOREVER);
    gate.sent(out, at(2));
    expect(gate.admits(at(3))).toBe(false);
    gate.granted({ partition: 1, bound: FOREVER, need: [], overdraw: at(3) });
    expect([gate.admits(at(3)), gate.admits(at(4))]).toEqual([true, false]);
    gate.outboxes.release(out.model.index, at(2));
    expect(gate.admits(at(4))).toBe(true);
  });

  it('gives credit for half a window at a time', () => {
    const { receive, handle, credit } = setup({ window: 4 });
    for (const time of [1, 2, 3]) receive(at(time));
    handle(at(1));
    expect(credit).toEqual([]);
    handle(at(2));
    expect(credit).toEqual([[0, at(2)]]);
  });

  it('tells again what was handled when it comes again', () => {
    const { receive, handle, credit } = setup({ window: 2 });
    receive(at(1));
    handle(at(1));
    receive(at(2));
    receive(at(1));
    receive(at(2));
    expect(credit).toEqual([
      [0, at(1)],
      [0, at(1)],
    ]);
  });

  it('reports what is news, and nothing else', () => {
    const { gate, reports, receive, handle, out } = setup();
    gate.pausing(START);
    gate.pausing(START);
    expect(reports).toMatchObject([{ net: START, hasEvents: true, isIdle: false, last: NEVER }]);
    receive(at(4));
    gate.pausing(START);
    expect(reports).toHaveLength(1);
    gate.sent(out, at(2));
    handle(START, at(4));
    gate.pausing(at(4));
    expect(reports[1]).toMatchObject({ net: at(4), last: START, got: [[0, at(4)]], sent: [[1, at(2)]] });
    gate.pausing(undefined);
    gate.pausing(undefined);
    expect(reports.slice(2)).toMatchObject([{ net: FOREVER, isIdle: true, got: [], sent: [] }]);
  });

  it('reports after many tags, but not at the last: that it has nothing to do there does not make it complete', () => {
    const { reports, handle, scheduler } = setup();
    for (let time = 1; time < 64; time++) handle(at(time), at(time + 1));
    expect(reports).toHaveLength(0);
    handle(at(64), at(65));
    expect(reports).toMatchObject([{ last: at(64), net: at(65) }]);
    scheduler.stopTag = at(128);
    for (let time = 65; time <= 128; time++) handle(at(time), time < 128 ? at(time + 1) : undefined);
    expect(reports).toHaveLength(1);
  });

  it('says that nothing comes over an edge any more', () => {
    const { gate, reports, grant, into, receive } = setup();
    gate.pausing(START);
    grant(at(10), [at(7)]);
    gate.giveUp(into);
    expect([gate.admits(START), gate.admits(at(99))]).toEqual([true, true]);
    gate.pausing(START);
    expect(reports[1]).toMatchObject({ got: [[0, FOREVER]] });
    receive(at(8));
    expect(gate.isNew(into, at(9))).toBe(false);
  });
});

describe('the gate of a restarted process', () => {
  const restarted = () => {
    const all = setup({ onCrash: 'restart', window: 1 });
    all.gate.resumeFrom(resume);
    all.scheduler.tag = resume.safe;
    return all;
  };

  it('begins nothing and says nothing before it has again what it had', () => {
    const { gate, grant, receive, reports } = restarted();
    grant(FOREVER);
    gate.pausing(at(6));
    expect([gate.admits(at(6)), reports]).toEqual([false, []]);
    receive(at(7));
    expect(gate.admits(at(6))).toBe(false);
    receive(at(10));
    expect(gate.admits(at(6))).toBe(true);
  });

  it('says nothing before it is where it was', () => {
    const { gate, receive, reports, handle } = restarted();
    receive(at(10));
    gate.pausing(at(6));
    handle(at(9), at(10));
    gate.pausing(at(9));
    expect(reports).toEqual([]);
    gate.pausing(at(10));
    expect(reports).toMatchObject([{ net: at(10), last: at(9), safe: at(5) }]);
  });

  it('does not report again what it had reported as sent', () => {
    const { gate, receive, reports, out } = restarted();
    receive(at(10));
    for (const time of [7, 8, 9]) gate.sent(out, at(time));
    gate.pausing(undefined);
    expect(reports).toMatchObject([{ sent: [[1, at(9)]] }]);
  });

  it('needs no room for what it had sent', () => {
    const { gate, grant, receive, out } = restarted();
    grant(FOREVER);
    receive(at(10));
    gate.sent(out, at(7));
    expect([gate.admits(at(9)), gate.admits(at(10))]).toEqual([true, false]);
  });

  it('takes nothing that was safe, and says so to who sends it', () => {
    const { receive, credit } = restarted();
    receive(at(5));
    receive(at(6));
    receive(at(6));
    expect(credit).toEqual([[0, at(5)]]);
  });

  it('does not stop where it has been', () => {
    expect(restarted().gate.earliestStop).toEqual(at(9, 1));
    expect(setup().gate.earliestStop).toEqual(START);
  });

  it('gives credit only for what the coordinator knows to be safe, and tells when that is more', () => {
    const { gate, receive, reports, credit, handle, wakes } = restarted();
    receive(at(10));
    handle(at(10), undefined);
    gate.pausing(undefined);
    expect(credit).toEqual([]);
    const before = wakes();
    gate.confirmed(reports[0]!);
    expect([credit, wakes() - before]).toEqual([[], 0]);
    receive(at(11_000_000));
    handle(at(11_000_000), undefined);
    gate.pausing(undefined);
    gate.confirmed(reports[1]!);
    expect(credit).toEqual([]);
    gate.pausing(undefined);
    expect(reports[2]).toMatchObject({ safe: at(10_999_999, 2 ** 32 - 1) });
    gate.confirmed(reports[2]!);
    expect(credit).toEqual([[0, at(10)]]);
  });
});
