import { setImmediate as turn } from 'node:timers/promises';
import type { ShutdownReport } from '../report.js';
import { captureEarlySignals } from './early-signals.js';
import { FakeProcess } from './fake-process.js';
import { ProcessHub, type ProcessParticipant } from './process-hub.js';

const { jest } = import.meta;

const report = (exitCode: number): ShutdownReport => ({
  reason: 'test',
  otherReasons: [],
  status: exitCode === 0 ? 'completed' : 'failed',
  exitCode,
  durationMs: 0,
  phases: [],
});

/** A shutdown that terminates when the test says so. */
class Participant implements ProcessParticipant {
  readonly heard: string[] = [];
  signals: readonly string[] = ['SIGTERM', 'SIGINT'];
  uncaught = false;
  exits = true;
  exitCode = 0;
  end!: (exitCode?: number) => void;
  readonly terminated = new Promise<ShutdownReport>((resolve) => {
    this.end = (exitCode = 0) => {
      this.exitCode = exitCode;
      resolve(report(exitCode));
    };
  });

  constructor(overrides: Partial<Pick<Participant, 'signals' | 'uncaught' | 'exits'>> = {}) {
    Object.assign(this, overrides);
  }

  onSignal = (signal: string) => void this.heard.push(signal);
  onUncaught = (error: unknown) => void this.heard.push(`uncaught ${(error as Error).message}`);
  exitsOnSecond = (signal: string) => signal === 'SIGINT';
  onForced = (why: string) => void this.heard.push(`forced: ${why}`);
  say = (message: string) => void this.heard.push(`say: ${message}`);
}

let proc: FakeProcess;
let hub: ProcessHub;
const join = (...args: ConstructorParameters<typeof Participant>): Participant => {
  const participant = new Participant(...args);
  hub.join(participant);
  return participant;
};
const counts = () =>
  ['SIGTERM', 'SIGINT', 'SIGHUP', 'uncaughtException', 'exit'].map((name) => proc.listenerCount(name));

let now: number;
/** Long enough for the same signal to count as a second one. */
const laterBy = (ms: number): void => void (now += ms);

beforeEach(() => {
  proc = new FakeProcess();
  hub = ProcessHub.of(proc);
  now = 1_000;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
});

afterEach(() => {
  jest.restoreAllMocks();
});

describe('ProcessHub listeners', () => {
  it('belong to one hub per process', () => {
    expect(ProcessHub.of(proc)).toBe(hub);
    expect(ProcessHub.of(new FakeProcess())).not.toBe(hub);
    expect(Object.keys(proc)).not.toContain('hub');
  });

  it('are installed once per signal, no matter how many participants use it', () => {
    join();
    join({ signals: ['SIGTERM', 'SIGHUP'], uncaught: true });
    expect(counts()).toEqual([1, 1, 1, 1, 0]);
  });

  it('are removed with the last participant of a signal, and other listeners stay', () => {
    const own = jest.fn();
    proc.on('SIGTERM', own);
    const first = join();
    const second = join({ signals: ['SIGTERM'] });
    hub.leave(first);
    expect(counts()).toEqual([2, 0, 0, 0, 0]);
    hub.leave(second);
    expect(proc.listeners('SIGTERM')).toEqual([own]);
  });

  it('stay installed while one participant replaces another', () => {
    const removed: unknown[] = [];
    const first = join();
    proc.on('removeListener', (event) => removed.push(event));
    const second = new Participant();
    hub.join(second, first);
    expect(removed).toEqual([]);
    proc.signal('SIGTERM');
    expect([first.heard, second.heard]).toEqual([[], ['SIGTERM']]);
  });

  it('stay installed while output is flushed before an exit, after all participants have left', async () => {
    const one = join();
    proc.stdout.fill(10);
    const exit = hub.exit(0);
    hub.leave(one);
    expect(counts()).toEqual([1, 1, 0, 0, 0]);
    proc.signal('SIGTERM');
    proc.signal('SIGINT');
    expect([one.heard, proc.exits]).toEqual([[], []]);
    proc.stdout.take(10);
    await exit;
    expect(proc.exits).toEqual([0]);
  });

  it('stay installed until the exit once a shutdown has started', () => {
    const one = join();
    proc.signal('SIGTERM');
    hub.leave(one);
    expect(counts()).toEqual([1, 1, 0, 0, 1]);
  });
});

describe('ProcessHub, on a signal', () => {
  it('notifies the participants of that signal, and exits when the last of them has terminated', async () => {
    const [first, second, other] = [join(), join(), join({ signals: ['SIGHUP'] })];
    proc.signal('SIGTERM');
    expect([first.heard, second.heard, other.heard]).toEqual([['SIGTERM'], ['SIGTERM'], []]);
    first.end();
    await turn();
    expect(proc.exits).toEqual([]);
    second.end(3);
    await turn();
    expect(proc.exits).toEqual([3]);
  });

  it('notifies a participant that joins during the shutdown', async () => {
    join().end();
    proc.signal('SIGTERM');
    const late = join();
    await turn();
    expect(late.heard).toEqual(['SIGTERM']);
    expect(proc.exits).toEqual([]);
    late.end();
    await turn();
    expect(proc.exits).toEqual([0]);
  });

  it('does not notify the replacement of a participant that was already notified', () => {
    const first = join();
    proc.signal('SIGTERM');
    const second = new Participant();
    hub.join(second, first);
    expect(second.heard).toEqual([]);
  });

  it('leaves no trace if no participant wants an exit', async () => {
    const one = join({ exits: false });
    proc.signal('SIGTERM');
    expect(proc.stdout.errorListeners.size).toBe(1);
    one.end(1);
    hub.leave(one);
    await turn();
    expect(proc.exits).toEqual([]);
    expect(counts()).toEqual([0, 0, 0, 0, 0]);
    expect(proc.stdout.errorListeners.size + proc.stderr.errorListeners.size).toBe(0);

    const next = join();
    proc.signal('SIGTERM');
    next.end();
    await turn();
    expect(proc.exits).toEqual([0]);
  });

  it('forwards the signal to other listeners without counting it as a second one', async () => {
    const own = jest.fn();
    const one = join();
    proc.signal('SIGINT');
    proc.on('SIGINT', own);
    hub.passOn('SIGINT');
    await turn();
    expect(own).toHaveBeenCalledTimes(1);
    expect(one.heard).toEqual(['SIGINT']);
    laterBy(500);
    proc.signal('SIGINT');
    expect(proc.exits).toEqual([130]);
  });

  it('keeps the failure code if other code exits with 0', () => {
    const one = join();
    proc.signal('SIGTERM');
    one.exitCode = 5;
    proc.exit(0);
    expect(proc.exits).toEqual([5]);
  });

  it('flushes the output before the exit', async () => {
    const one = join();
    proc.stdout.fill(10);
    proc.signal('SIGTERM');
    one.end();
    await turn();
    expect(proc.exits).toEqual([]);
    proc.signal('SIGINT');
    expect(proc.exits).toEqual([]);
    proc.stdout.take(10);
    await turn();
    expect(proc.exits).toEqual([0]);
  });
});

describe('ProcessHub, on a second signal', () => {
  it('treats the same signal within half a second as the same keystroke, forwarded by a runner', () => {
    const one = join();
    proc.signal('SIGINT');
    laterBy(499);
    proc.signal('SIGINT');
    expect(one.heard).toEqual(['SIGINT']);
    expect(proc.exits).toEqual([]);
    laterBy(1);
    proc.signal('SIGINT');
    expect(proc.exits).toEqual([130]);
  });

  it('treats the same signal within half a second as the same keystroke before and after a participant joins', () => {
    jest.spyOn(console, 'error').mockImplementation(() => undefined);
    captureEarlySignals({ process: proc });
    proc.signal('SIGINT');
    laterBy(300);
    proc.signal('SIGINT');
    const one = join();
    proc.signal('SIGINT');
    expect([one.heard, proc.exits]).toEqual([['SIGINT'], []]);
    laterBy(200);
    proc.signal('SIGINT');
    expect(proc.exits).toEqual([130]);
  });

  it('exits at once with 128 + signal number if configured', () => {
    const one = join();
    proc.stdout.fill(10);
    proc.signal('SIGTERM');
    proc.signal('SIGINT');
    expect(proc.exits).toEqual([130]);
    expect(one.heard).toEqual(['SIGTERM', 'forced: second signal SIGINT: exiting now with code 130']);
  });

  it('logs and ignores it otherwise', () => {
    const one = join();
    proc.signal('SIGINT');
    proc.signal('SIGTERM');
    expect(proc.exits).toEqual([]);
    expect(one.heard[1]).toMatch(/^say: SIGTERM again: ignored, the shutdown has been running for /);
  });
});

describe('ProcessHub, on an uncaught error', () => {
  it('starts a shutdown whose exit code is never 0', async () => {
    const one = join({ uncaught: true });
    proc.emit('uncaughtException', new Error('boom'));
    expect(one.heard).toEqual(['uncaught boom']);
    one.end(0);
    await turn();
    expect(proc.exits).toEqual([1]);
  });

  it('exits at once on a second one', () => {
    const one = join({ uncaught: true });
    proc.emit('uncaughtException', new Error('boom'));
    proc.emit('uncaughtException', new Error('bang'));
    expect(proc.exits).toEqual([1]);
    expect(one.heard).toEqual(['uncaught boom', 'forced: second uncaught error: exiting now with code 1']);
  });

  it('keeps a running shutdown going, but shows the error in the exit code', async () => {
    const one = join({ uncaught: true });
    proc.signal('SIGTERM');
    proc.emit('uncaughtException', new Error('boom'));
    expect(proc.exits).toEqual([]);
    one.end(0);
    await turn();
    expect(proc.exits).toEqual([1]);
  });
});

describe('ProcessHub.exit', () => {
  it('exits once, with the first code', async () => {
    await Promise.all([hub.exit(4), hub.exit(0)]);
    expect(proc.exits).toEqual([4]);
  });
});

describe('captureEarlySignals', () => {
  let said: string[];
  beforeEach(() => {
    said = [];
    jest.spyOn(console, 'error').mockImplementation((line: unknown) => void said.push(String(line)));
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it('remembers a signal until the first participant joins, and raises it again for other listeners', async () => {
    const own = jest.fn();
    captureEarlySignals({ process: proc });
    proc.signal('SIGTERM');
    expect(said).toEqual([
      '[shutdown] SIGTERM during boot: the application will stop as soon as it has started, or exit after 30 s',
    ]);
    proc.on('SIGTERM', own);
    const one = join();
    expect(one.heard).toEqual(['SIGTERM']);
    await turn();
    expect(own).toHaveBeenCalledTimes(1);
    expect(one.heard).toEqual(['SIGTERM']);
    expect(proc.exits).toEqual([]);
  });

  it('gives a signal its default effect if the participant does not listen for it', () => {
    captureEarlySignals({ process: proc });
    proc.signal('SIGTERM');
    const one = join({ signals: ['SIGHUP'] });
    expect(one.heard).toEqual([]);
    expect(proc.killed).toEqual(['SIGTERM']);
    expect(counts()).toEqual([0, 0, 1, 0, 0]);
  });

  it.each([
    ['SIGINT', 'SIGINT', [130]],
    ['SIGTERM', 'SIGINT', [130]],
    ['SIGINT', 'SIGTERM', []],
    ['SIGTERM', 'SIGTERM', []],
  ])('%s, then %s before the first participant joins: exits %j', (first, second, exits) => {
    jest.useFakeTimers({ doNotFake: ['performance'] });
    captureEarlySignals({ process: proc });
    proc.signal(first);
    laterBy(500);
    proc.signal(second);
    expect(proc.exits).toEqual(exits);
  });

  it('exits after bootTimeoutMs if no participant joins', async () => {
    jest.useFakeTimers();
    captureEarlySignals({ process: proc, bootTimeoutMs: 500 });
    proc.signal('SIGTERM');
    await jest.advanceTimersByTimeAsync(499);
    expect(proc.exits).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(proc.exits).toEqual([143]);
    expect(said[1]).toBe('[shutdown] the application did not start within 500 ms after SIGTERM: exiting');
  });

  it('does not exit once a participant has joined', async () => {
    jest.useFakeTimers();
    captureEarlySignals({ process: proc, bootTimeoutMs: 500 });
    proc.signal('SIGTERM');
    join();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(proc.exits).toEqual([]);
  });

  it('captures once, and does nothing after an application has started', () => {
    captureEarlySignals({ process: proc, signals: ['SIGHUP'] });
    captureEarlySignals({ process: proc });
    expect(counts()).toEqual([0, 0, 1, 0, 0]);
    expect(hub.capturesEarly).toBe(true);

    const other = new FakeProcess();
    ProcessHub.of(other).join(new Participant({ signals: [] }));
    captureEarlySignals({ process: other });
    expect(other.listenerCount('SIGTERM')).toBe(0);
    expect(ProcessHub.of(other).capturesEarly).toBe(false);
  });

  it.each([{ signals: ['SIGKILL'] }, { signals: ['TERM'] }, { bootTimeoutMs: -1 }, { bootTimeoutMs: NaN }])(
    'refuses %j',
    (options) => {
      expect(() => captureEarlySignals({ process: proc, ...(options as object) })).toThrow(/signals|bootTimeoutMs/);
      expect(counts()).toEqual([0, 0, 0, 0, 0]);
    },
  );
});
