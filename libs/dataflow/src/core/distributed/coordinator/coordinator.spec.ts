import { ManualClock } from '@roost/time/testing';
import { GraphBuilder } from '../../index.js';
import type { DataflowReport } from '../../report.js';
import { RecordingLogger } from '../../run/graph.fixture.js';
import { FOREVER, NEVER, START, type Tag } from '../../time/tag.js';
import { Coordinator } from './coordinator.js';
import type { PartitionReport, ToProcess } from '../wire/messages.js';
import { Counter, Doubler, Sink } from '../nodes.fixture.js';
import { planProcesses } from '../plan.js';

const at = (time: number, microstep = 0): Tag => ({ time, microstep });

const idle: Omit<PartitionReport, 'partition'> = {
  net: FOREVER,
  hasEvents: false,
  isIdle: true,
  isOpen: false,
  isBlocked: false,
  lastTag: START,
  checkpoint: NEVER,
  sent: [],
  got: [],
  physicalSent: [],
  physicalGot: [],
};

const setup = () => {
  const builder = new GraphBuilder();
  const [counter, doubler, sink] = [
    builder.node(Counter),
    builder.node(Doubler, { onCrash: 'restart' }),
    builder.node(Sink, { onCrash: 'treatAsDone' }),
  ];
  builder.connect(counter.out, doubler.in);
  builder.connect(doubler.out, sink.left);
  const plan = planProcesses(builder.build(), { processes: { a: ['counter'], b: ['doubler'], c: ['sink'] } });
  const clock = new ManualClock();
  const sent: [process: string, message: ToProcess][] = [];
  const reports: DataflowReport[] = [];
  const unreachable = new Set<string>();
  const coordinator = new Coordinator({
    plan,
    clock,
    logger: new RecordingLogger(),
    isTraced: false,
    isFast: true,
    plannedStop: undefined,
    plannedStatus: 'stopped',
    joinTimeoutMs: 30_000,
    agreeTimeoutMs: 5_000,
    restartTimeoutMs: 10_000,
    noticeMs: 2_000,
    forceTimeoutMs: 2_000,
    send: (process, message) => sent.push([process, message]),
    isReachable: (process) => !unreachable.has(process),
    finished: (report) => reports.push(report),
  });
  const hello = (name: string, version = plan.version): void =>
    coordinator.handle(name, { kind: 'join', version, address: `at ${name}` });
  const join = (): void => {
    coordinator.open();
    for (const name of plan.processes) hello(name);
  };
  const report = (partition: number, more: Partial<PartitionReport> = {}): void =>
    coordinator.handle('abc'[partition]!, { kind: 'report', report: { ...idle, partition, ...more } });
  const ended = (partition: number): void =>
    coordinator.handle('abc'[partition]!, { kind: 'partition-stopped', partition, nodes: {}, dataMessages: 1 });
  /** Kinds of the messages sent to a process since the last call. */
  const told = (process: string): string[] => {
    const kinds = sent.filter(([to]) => to === process).map(([, { kind }]) => kind);
    for (let index = sent.length - 1; index >= 0; index--) if (sent[index]![0] === process) sent.splice(index, 1);
    return kinds;
  };
  return { coordinator, clock, sent, reports, unreachable, hello, join, report, ended, told };
};

describe('Coordinator', () => {
  it('starts all processes when the last one has joined, and not before', () => {
    const { coordinator, hello, told, sent, clock } = setup();
    coordinator.open();
    for (const name of ['a', 'b', 'coordinator']) hello(name);
    expect(sent).toEqual([]);
    hello('c');
    expect(sent).toHaveLength(4);
    const addresses = { a: 'at a', b: 'at b', c: 'at c', coordinator: 'at coordinator' };
    expect(sent[0]).toEqual(['a', { kind: 'start', startedAtMs: 0, addresses, resume: [] }]);
    for (const name of ['a', 'b', 'c', 'coordinator']) expect(told(name)).toEqual(['start']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends a completed run with the results of all partitions', () => {
    const { join, report, ended, reports, told } = setup();
    join();
    for (const partition of [0, 1, 2]) report(partition, { lastTag: at(5) });
    expect(told('a')).toEqual(['start', 'stop-decision']);
    for (const partition of [0, 1, 2]) ended(partition);
    expect(reports).toMatchObject([{ status: 'completed', stopTag: at(5, 1), dataMessages: 3 }]);
    expect(told('a')).toEqual(['run-ended']);
  });

  it('waits at the end for a process that must be restarted', () => {
    const { join, report, ended, reports, coordinator, hello, told } = setup();
    join();
    for (const partition of [0, 1, 2]) report(partition, { lastTag: at(5) });
    coordinator.failures.lost('b', 'gone');
    ended(0);
    ended(2);
    expect(reports).toEqual([]);
    expect(coordinator.failures.restarted('b')).toBe(true);
    told('b');
    hello('b');
    expect(told('b')).toEqual(['start', 'grant', 'stop-decision']);
    ended(1);
    expect(reports).toMatchObject([{ status: 'completed' }]);
  });

  it('sends a restarted process everything that it has missed', () => {
    const { join, report, coordinator, hello, told } = setup();
    join();
    for (const partition of [0, 1, 2]) report(partition, { net: at(5), hasEvents: true, isIdle: false });
    coordinator.failures.lost('c', 'gone');
    coordinator.handle('a', { kind: 'stop-request', tag: at(90), isFinal: false, by: 'a' });
    coordinator.failures.restarted('b');
    for (const name of ['a', 'b', 'c']) told(name);
    hello('b');
    expect(told('b')).toEqual(['start', 'peer-removed', 'grant', 'stop-proposal']);
    expect(told('a')).toEqual(['peer-restarted']);
    expect(told('c')).toEqual([]);
  });

  it('keeps sending to an unreachable process, which may return with its memory', () => {
    const { join, coordinator, told, clock } = setup();
    join();
    coordinator.failures.lost('b', 'silent');
    told('b');
    coordinator.handle('a', { kind: 'stop-request', tag: at(9), isFinal: true, by: 'a' });
    expect(told('b')).toEqual(['stop-proposal']);
    coordinator.failures.returned('b');
    coordinator.handle('b', { kind: 'stop-answer', round: 1, partition: 1, tag: at(9) });
    for (const [process, partition] of [
      ['a', 0],
      ['c', 2],
    ] as const)
      coordinator.handle(process, { kind: 'stop-answer', round: 1, partition, tag: at(9) });
    expect(told('b')).toEqual(['stop-decision']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('waits before it acts on a suspicion, until it would have noticed the loss itself', () => {
    const { join, coordinator, reports, clock, unreachable, told } = setup();
    join();
    told('a');
    const suspect = (): void => coordinator.handle('a', { kind: 'peer-unreachable', peer: 'b', forMs: 5_000 });
    suspect();
    coordinator.failures.lost('b', 'gone');
    clock.advance(3_000);
    coordinator.failures.restarted('b');
    suspect();
    clock.advance(3_000);
    expect(told('a')).toEqual([]);
    coordinator.handle('b', { kind: 'join', version: 'x', address: '' });
    expect(told('a')).toEqual(['force']);
    clock.advance(2_000);
    expect(reports).toMatchObject([{ status: 'forced' }]);
    expect(unreachable.size).toBe(0);
  });

  it('treats a suspected process as crashed when it cannot reach the process either', () => {
    const { join, coordinator, clock, unreachable, told } = setup();
    join();
    told('a');
    unreachable.add('c');
    coordinator.handle('a', { kind: 'peer-unreachable', peer: 'c', forMs: 5_000 });
    clock.advance(2_000);
    expect(told('a')).toEqual(['peer-removed']);
    coordinator.handle('a', { kind: 'peer-unreachable', peer: 'nobody', forMs: 5_000 });
    expect(clock.pendingTimers).toBe(0);
  });

  it('ignores messages from a removed process', () => {
    const { join, coordinator, ended, reports, report, told, hello } = setup();
    join();
    coordinator.failures.lost('c', 'gone');
    told('a');
    coordinator.handle('c', { kind: 'failed', code: 'X', message: 'x', exitCode: 9 });
    coordinator.handle('c', { kind: 'stop-request', tag: at(1), isFinal: true, by: 'c' });
    hello('c');
    expect([told('a'), told('c')]).toEqual([[], ['start']]);
    expect(coordinator.failures.restarted('c')).toBe(false);
    for (const partition of [0, 1]) report(partition);
    for (const partition of [0, 1]) ended(partition);
    expect(reports).toMatchObject([{ status: 'completed' }]);
  });

  it('limits the time of a stop by force, and keeps the first error', () => {
    const { join, coordinator, clock, ended, reports, sent, hello, told } = setup();
    join();
    sent.length = 0;
    coordinator.handle('a', { kind: 'failed', code: 'FIRST', message: 'first', exitCode: 7 });
    coordinator.handle('b', { kind: 'failed', code: 'SECOND', message: 'second', exitCode: 8 });
    expect(sent.map(([, message]) => message)).toEqual(
      Array.from({ length: 4 }, () => ({
        kind: 'force',
        code: 'FIRST',
        message: expect.stringContaining('first'),
        exitCode: 7,
      })),
    );
    coordinator.failures.restarted('b');
    told('b');
    hello('b');
    expect(told('b')).toEqual(['force']);
    ended(0);
    clock.advance(1_999);
    expect(reports).toEqual([]);
    clock.advance(1);
    expect(reports).toMatchObject([{ status: 'forced', exitCode: 7, stopTag: undefined }]);
    expect(clock.pendingTimers).toBe(0);
    hello('b');
    expect(told('b')).toEqual(['run-ended', 'force', 'run-ended']);
  });

  it('leaves no timer when it was never opened', () => {
    const { clock } = setup();
    expect(clock.pendingTimers).toBe(0);
  });
});
