import { ManualClock } from '@roost/time/testing';
import type { Partition } from '../../engine/partition.js';
import { Timeline } from '../../engine/timeline.js';
import { GraphBuilder, span } from '../../index.js';
import { FOREVER, NEVER, START, type Tag } from '../../time/tag.js';
import type { PartitionReport, ResumePoint } from '../wire/messages.js';
import { Counter, Doubler, Sink } from '../nodes.fixture.js';
import { type CrossEdge, planProcesses } from '../plan.js';
import { LocalPartition } from './local-partition.js';

const at = (time: number, microstep = 0): Tag => ({ time, microstep });

/** The partition of the middle node, with a fake scheduler. */
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
  const local = new LocalPartition(partition, plan.partitions[1]!, plan, {
    timeline: new Timeline(new ManualClock()),
    isFast: true,
    isReplay: false,
    window,
    report: (report) => reports.push(report),
    giveCredit: ({ model }, tag) => credit.push([model.index, tag]),
    plannedStopReached: () => undefined,
  });
  const receive = (tag: Tag): void => {
    if (local.traffic.isNew(into, tag)) local.traffic.received(into, tag, tag);
  };
  const send = (tag: Tag): void => local.traffic.sent(out, tag, scheduler.tag);
  const handle = (tag: Tag, next?: Tag): void => {
    Object.assign(scheduler, { tag, next });
    local.admission.handled(tag);
  };
  const grant = (bound: Tag, need: Tag[] = []): void =>
    local.admission.grant({ partition: 1, bound, need: need.map((tag) => [0, tag] as const) });
  const { admission } = local;
  return { local, admission, scheduler, reports, credit, receive, send, handle, grant, into, out, wakes: () => wakes };
};

const resume: ResumePoint = {
  partition: 1,
  checkpoint: at(5),
  lastTag: at(9),
  sent: [[1, at(8)]],
  need: [[0, at(10)]],
};

describe('LocalPartition', () => {
  it('admits a granted tag once the messages that the grant needs have arrived', () => {
    const { grant, receive, admission } = setup();
    expect(admission.admits(START)).toBe(false);
    grant(at(10), [at(7)]);
    expect(admission.admits(at(3))).toBe(false);
    // The same bound again, because of the overdraw.
    admission.grant({ partition: 1, bound: at(10), need: [], overdraw: at(3) });
    expect(admission.admits(at(3))).toBe(false);
    receive(at(7));
    expect([admission.admits(at(9, 99)), admission.admits(at(10))]).toEqual([true, false]);
  });

  it('admits a tag that every input has passed', () => {
    const { receive, admission } = setup();
    receive(at(7));
    expect([admission.admits(at(7)), admission.admits(at(7, 1))]).toEqual([true, false]);
  });

  it('admits no tag at or after the barrier', () => {
    const { grant, admission } = setup();
    grant(FOREVER);
    admission.barrier = at(5);
    expect([admission.admits(at(4)), admission.admits(at(5))]).toEqual([true, false]);
  });

  it('admits no tag while a connection is full, unless the grant allows an overdraw', () => {
    const { grant, admission, local, send, out } = setup({ window: 1 });
    grant(FOREVER);
    send(at(2));
    expect(admission.admits(at(3))).toBe(false);
    admission.grant({ partition: 1, bound: FOREVER, need: [], overdraw: at(3) });
    expect([admission.admits(at(3)), admission.admits(at(4))]).toEqual([true, false]);
    local.traffic.sendWindows.release(out.model.index, at(2));
    expect(admission.admits(at(4))).toBe(true);
  });

  it('gives credit for half a window at a time', () => {
    const { receive, handle, credit } = setup({ window: 4 });
    for (const time of [1, 2, 3]) receive(at(time));
    handle(at(1));
    expect(credit).toEqual([]);
    handle(at(2));
    expect(credit).toEqual([[0, at(2)]]);
  });

  it('repeats the credit when a handled message arrives again', () => {
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

  it('reports only changes', () => {
    const { reports, receive, handle, admission, send } = setup();
    admission.pausing(START);
    admission.pausing(START);
    expect(reports).toMatchObject([{ net: START, hasEvents: true, isIdle: false, lastTag: NEVER }]);
    receive(at(4));
    admission.pausing(START);
    expect(reports).toHaveLength(1);
    send(at(2));
    handle(START, at(4));
    admission.pausing(at(4));
    expect(reports[1]).toMatchObject({ net: at(4), lastTag: START, got: [[0, at(4)]], sent: [[1, at(2)]] });
    admission.pausing(undefined);
    admission.pausing(undefined);
    expect(reports.slice(2)).toMatchObject([{ net: FOREVER, isIdle: true, got: [], sent: [] }]);
  });

  it('reports after 64 tags, but not at the stop tag, where an empty queue does not mean completion', () => {
    const { reports, handle, scheduler } = setup();
    for (let time = 1; time < 64; time++) handle(at(time), at(time + 1));
    expect(reports).toHaveLength(0);
    handle(at(64), at(65));
    expect(reports).toMatchObject([{ lastTag: at(64), net: at(65) }]);
    scheduler.stopTag = at(128);
    for (let time = 65; time <= 128; time++) handle(at(time), time < 128 ? at(time + 1) : undefined);
    expect(reports).toHaveLength(1);
  });

  it('reports an edge whose sender was removed, and no longer waits for messages on it', () => {
    const { reports, grant, into, receive, admission, local } = setup();
    admission.pausing(START);
    grant(at(10), [at(7)]);
    local.abandonEdge(into);
    expect([admission.admits(START), admission.admits(at(99))]).toEqual([true, true]);
    admission.pausing(START);
    expect(reports[1]).toMatchObject({ got: [[0, FOREVER]] });
    receive(at(8));
    expect(local.traffic.isNew(into, at(9))).toBe(false);
  });
});

describe('LocalPartition of a restarted process', () => {
  const restarted = () => {
    const all = setup({ onCrash: 'restart', window: 1 });
    all.local.resumeFrom(resume);
    all.scheduler.tag = resume.checkpoint;
    return all;
  };

  it('begins no tag and reports nothing until its inputs have arrived again', () => {
    const { grant, receive, reports, admission } = restarted();
    grant(FOREVER);
    admission.pausing(at(6));
    expect([admission.admits(at(6)), reports]).toEqual([false, []]);
    receive(at(7));
    expect(admission.admits(at(6))).toBe(false);
    receive(at(10));
    expect(admission.admits(at(6))).toBe(true);
  });

  it('reports nothing until it has caught up', () => {
    const { receive, reports, handle, admission } = restarted();
    receive(at(10));
    admission.pausing(at(6));
    handle(at(9), at(10));
    admission.pausing(at(9));
    expect(reports).toEqual([]);
    admission.pausing(at(10));
    expect(reports).toMatchObject([{ net: at(10), lastTag: at(9), checkpoint: at(5) }]);
  });

  it('does not report a message as sent twice', () => {
    const { receive, reports, admission, send } = restarted();
    receive(at(10));
    for (const time of [7, 8, 9]) send(at(time));
    admission.pausing(undefined);
    expect(reports).toMatchObject([{ sent: [[1, at(9)]] }]);
  });

  it('needs no room for tags that it handled before the crash', () => {
    const { grant, receive, admission, send } = restarted();
    grant(FOREVER);
    receive(at(10));
    send(at(7));
    expect([admission.admits(at(9)), admission.admits(at(10))]).toEqual([true, false]);
  });

  it('drops messages up to its checkpoint, and gives credit for them', () => {
    const { receive, credit } = restarted();
    receive(at(5));
    receive(at(6));
    receive(at(6));
    expect(credit).toEqual([[0, at(5)]]);
  });

  it('does not agree to stop at a tag that it has already handled', () => {
    expect(restarted().admission.earliestStop).toEqual(at(9, 1));
    expect(setup().admission.earliestStop).toEqual(START);
  });

  it('gives credit up to the confirmed checkpoint, and reports a later one', () => {
    const { receive, reports, credit, handle, wakes, admission, local } = restarted();
    receive(at(10));
    handle(at(10), undefined);
    admission.pausing(undefined);
    expect(credit).toEqual([]);
    const before = wakes();
    local.confirmed(reports[0]!);
    expect([credit, wakes() - before]).toEqual([[], 0]);
    receive(at(11_000_000));
    handle(at(11_000_000), undefined);
    admission.pausing(undefined);
    local.confirmed(reports[1]!);
    expect(credit).toEqual([]);
    admission.pausing(undefined);
    expect(reports[2]).toMatchObject({ checkpoint: at(10_999_999, 2 ** 32 - 1) });
    local.confirmed(reports[2]!);
    expect(credit).toEqual([[0, at(10)]]);
  });
});
