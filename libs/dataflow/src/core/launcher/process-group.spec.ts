import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { ManualClock } from '@roost/time/testing';
import { WORD } from './lifeline.js';
import { ProcessGroup, type ProcessGroupOptions } from './process-group.js';

class FakeChild extends EventEmitter {
  readonly pid = 1;
  connected = true;
  readonly channel = { unref: () => undefined };
  readonly heard: unknown[] = [];
  readonly signals: string[] = [];

  send(word: unknown): boolean {
    this.heard.push(word);
    return true;
  }

  kill(signal: string): boolean {
    this.signals.push(signal);
    return true;
  }

  end(code: number | null, signal: string | null = null): void {
    this.connected = false;
    this.emit('exit', code, signal);
    this.emit('close', code, signal);
  }
}

const setup = (options: Partial<ProcessGroupOptions> = {}) => {
  const clock = new ManualClock();
  const children: FakeChild[] = [];
  const [lost, leaving, logged]: [string[], string[], string[]] = [[], [], []];
  const group = new ProcessGroup({
    clock,
    logger: {
      log: (line) => void logged.push(line),
      warn: (line) => void logged.push(line),
      error: (line) => void logged.push(line),
    },
    fork: () => {
      children.push(new FakeChild());
      return children.at(-1) as unknown as ChildProcess;
    },
    restarts: () => false,
    leaving: (process) => void leaving.push(process),
    lost: ({ process }, how) => void lost.push(`${process}: ${how}`),
    ...options,
  });
  return { clock, children, lost, leaving, logged, group };
};

describe('ProcessGroup', () => {
  it('waits for all processes to exit', async () => {
    const { group, children, lost, clock } = setup();
    group.start('a');
    group.start('b');
    const ending = group.end(1_000);
    expect(group.end(5)).toBe(ending);
    children[0]!.end(0);
    expect(group.left).toEqual(['b']);
    children[1]!.end(3);
    expect(await ending).toEqual([
      { process: 'a', code: 0, signal: null },
      { process: 'b', code: 3, signal: null },
    ]);
    expect(lost).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not wait when all processes have exited before', async () => {
    const { group, children, clock } = setup();
    group.start('a');
    children[0]!.end(0);
    expect(await group.end(1_000)).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('notifies processes that have not announced their exit, and kills those that stay', async () => {
    const { group, children, clock, logged } = setup();
    group.start('a');
    group.start('b');
    children[0]!.emit('message', WORD.leaving);
    const ending = group.end(1_000);
    expect(children.map(({ heard }) => heard)).toEqual([[], [WORD.over]]);
    children[0]!.end(0);
    clock.advance(999);
    expect(children[1]!.signals).toEqual([]);
    clock.advance(1);
    expect(children[1]!.signals).toEqual(['SIGKILL']);
    expect(logged).toEqual(['process "b" (pid 1) did not exit within 1 s and was killed']);
    children[1]!.end(null, 'SIGKILL');
    expect(await ending).toContainEqual({ process: 'b', code: null, signal: 'SIGKILL' });
  });

  it.each<[string, number, number, number]>([
    ['makes the kill earlier', 10_000, 500, 500],
    ['does not delay the kill', 500, 10_000, 500],
  ])('%s when end() is called again', (_, firstMs, thenMs, killedAfterMs) => {
    const { group, children, clock, logged } = setup();
    group.start('a');
    void group.end(firstMs);
    void group.end(thenMs);
    clock.advance(killedAfterMs - 1);
    expect(children[0]!.signals).toEqual([]);
    clock.advance(1);
    expect(children[0]!.signals).toEqual(['SIGKILL']);
    expect(logged).toEqual(['process "a" (pid 1) did not exit within 500 ms and was killed']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('sends nothing to a process that is exiting', () => {
    const { group, children } = setup();
    group.start('a');
    children[0]!.connected = false;
    void group.end(1_000);
    expect(children[0]!.heard).toEqual([]);
    children[0]!.end(0);
  });

  it.each<[string, number | null, string | null, string]>([
    ['an exit code', 3, null, 'a: code 3'],
    ['exit code 0', 0, null, 'a: code 0'],
    ['a signal', null, 'SIGKILL', 'a: signal SIGKILL'],
  ])('reports a process that exits without notice, with %s', (_, code, signal, told) => {
    const { group, children, lost } = setup();
    group.start('a');
    children[0]!.end(code, signal);
    expect(lost).toEqual([told]);
  });

  it('reports a process that could not be started', () => {
    const { group, children, lost } = setup();
    group.start('a');
    children[0]!.emit('error', new Error('EAGAIN'));
    children[0]!.end(-11);
    expect(lost).toEqual(['a: EAGAIN']);
  });

  it('reports a process that announces its exit', () => {
    const { group, children, lost, leaving } = setup({ restarts: () => true });
    group.start('a');
    children[0]!.emit('message', { other: 'word' });
    expect(leaving).toEqual([]);
    children[0]!.emit('message', WORD.leaving);
    expect(leaving).toEqual(['a']);
    children[0]!.end(1);
    expect(lost).toEqual([]);
  });

  it('reads the last message of a process that has already exited', async () => {
    const { group, children, lost, clock } = setup({ restarts: () => true });
    group.start('a');
    children[0]!.emit('exit', 0, null);
    children[0]!.emit('message', WORD.leaving);
    children[0]!.end(0);
    clock.advance(10_000);
    expect(lost).toEqual([]);
    expect(children).toHaveLength(1);
  });

  it('restarts a crashed process after a pause, and returns the exit of the last instance', async () => {
    const { group, children, clock, lost } = setup({ restarts: () => true });
    group.start('a');
    children[0]!.end(null, 'SIGKILL');
    clock.advance(199);
    expect(children).toHaveLength(1);
    clock.advance(1);
    expect(children).toHaveLength(2);
    expect(lost).toEqual([]);
    const ending = group.end(1_000);
    children[1]!.end(0);
    expect(await ending).toEqual([{ process: 'a', code: 0, signal: null }]);
  });

  it('starts no process after the end of the run', async () => {
    const { group, children, clock } = setup({ restarts: () => true });
    group.start('a');
    children[0]!.end(1);
    expect(await group.end(1_000)).toHaveLength(1);
    clock.advance(10_000);
    group.start('b');
    expect(children).toHaveLength(1);
  });
});
