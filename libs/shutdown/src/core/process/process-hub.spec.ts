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

/** A shutdown that ends when the test says so. */
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
/** So long that the same signal is meant as a second one. */
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

describe('listening', () => {
  it('is done by one hub for each process', () => {
    expect(ProcessHub.of(proc)).toBe(hub);
    expect(ProcessHub.of(new FakeProcess())).not.toBe(hub);
    expect(Object.keys(proc)).not.toContain('hub');
  });

  it('takes one listener for each signal asked for, however many ask', () => {
    join();
    join({ signals: ['SIGTERM', 'SIGHUP'], uncaught: true });
    expect(counts()).toEqual([1, 1, 1, 1, 0]);
  });

  it('ends for a signal with the last who asked for it, and touches no other listener', () => {
    const own = jest.fn();
    proc.on('SIGTERM', own);
    const first = join();
    const second = join({ signals: ['SIGTERM'] });
    hub.leave(first);
    expect(counts()).toEqual([2, 0, 0, 0, 0]);
    hub.leave(second);
    expect(proc.listeners('SIGTERM')).toEqual([own]);
  });

  it('does not pause while one takes the place of another', () => {
    const removed: unknown[] = [];
    const first = join();
    proc.on('removeListener', (event) => removed.push(event));
    const second = new Participant();
    hub.join(second, first);
    expect(removed).toEqual([]);
    proc.signal('SIGTERM');
    expect([first.heard, second.heard]).toEqual([[], ['SIGTERM']]);
  });

  it('goes on while the output is written before an exit, when everybody has left', async () => {
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

  it('goes on until the exit once a shutdown has begun', () => {
    const one = join();
    proc.signal('SIGTERM');
    hub.leave(one);
    expect(counts()).toEqual([1, 1, 0, 0, 1]);
  });
});

describe('a signal', () => {
  it('is told to those who asked for it, and the process exits when the last of them is over', async () => {
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

  it('is told to who joins when it is being served', async () => {
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

  it('is not told again to who takes the place of one that knows', () => {
    const first = join();
    proc.signal('SIGTERM');
    const second = new Participant();
    hub.join(second, first);
    expect(second.heard).toEqual([]);
  });

  it('leaves no trace when nobody wants an exit', async () => {
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

  it('that is passed on reaches the others and is not a second one', async () => {
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

  it('keeps the failure visible when somebody else exits with 0', () => {
    const one = join();
    proc.signal('SIGTERM');
    one.exitCode = 5;
    proc.exit(0);
    expect(proc.exits).toEqual([5]);
  });

  it('waits with the exit for the output', async () => {
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

describe('a second signal', () => {
  it('within half a second is the same key stroke, passed on by whoever runs the program', () => {
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

  it('within half a second is the same key stroke before anybody has joined, and after', () => {
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

  it('exits at once when so configured, with 128 and its number', () => {
    const one = join();
    proc.stdout.fill(10);
    proc.signal('SIGTERM');
    proc.signal('SIGINT');
    expect(proc.exits).toEqual([130]);
    expect(one.heard).toEqual(['SIGTERM', 'forced: second signal SIGINT: exiting now with code 130']);
  });

  it('is otherwise mentioned and ignored', () => {
    const one = join();
    proc.signal('SIGINT');
    proc.signal('SIGTERM');
    expect(proc.exits).toEqual([]);
    expect(one.heard[1]).toMatch(/^say: SIGTERM again: ignored, the shutdown has been running for /);
  });
});

describe('uncaught errors', () => {
  it('begin a shutdown whose exit code is never 0', async () => {
    const one = join({ uncaught: true });
    proc.emit('uncaughtException', new Error('boom'));
    expect(one.heard).toEqual(['uncaught boom']);
    one.end(0);
    await turn();
    expect(proc.exits).toEqual([1]);
  });

  it('exit at once the second time', () => {
    const one = join({ uncaught: true });
    proc.emit('uncaughtException', new Error('boom'));
    proc.emit('uncaughtException', new Error('bang'));
    expect(proc.exits).toEqual([1]);
    expect(one.heard).toEqual(['uncaught boom', 'forced: second uncaught error: exiting now with code 1']);
  });

  it('during a shutdown that a signal began do not end it, but show in the exit code', async () => {
    const one = join({ uncaught: true });
    proc.signal('SIGTERM');
    proc.emit('uncaughtException', new Error('boom'));
    expect(proc.exits).toEqual([]);
    one.end(0);
    await turn();
    expect(proc.exits).toEqual([1]);
  });
});

describe('exit', () => {
  it('happens once, with the first code', async () => {
    await Promise.all([hub.exit(4), hub.exit(0)]);
    expect(proc.exits).toEqual([4]);
  });
});

describe('early signals', () => {
  let said: string[];
  beforeEach(() => {
    said = [];
    jest.spyOn(console, 'error').mockImplementation((line: unknown) => void said.push(String(line)));
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it('are remembered until somebody joins, and raised again for the others', async () => {
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

  it('take their default effect when who joins did not ask for them', () => {
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
  ])('%s, then %s before anybody has joined: exits %j', (first, second, exits) => {
    jest.useFakeTimers({ doNotFake: ['performance'] });
    captureEarlySignals({ process: proc });
    proc.signal(first);
    laterBy(500);
    proc.signal(second);
    expect(proc.exits).toEqual(exits);
  });

  it('end the process when nobody has joined by then', async () => {
    jest.useFakeTimers();
    captureEarlySignals({ process: proc, bootTimeoutMs: 500 });
    proc.signal('SIGTERM');
    await jest.advanceTimersByTimeAsync(499);
    expect(proc.exits).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(proc.exits).toEqual([143]);
    expect(said[1]).toBe('[shutdown] the application did not start within 500 ms after SIGTERM: exiting');
  });

  it('do not end the process once somebody has joined', async () => {
    jest.useFakeTimers();
    captureEarlySignals({ process: proc, bootTimeoutMs: 500 });
    proc.signal('SIGTERM');
    join();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(proc.exits).toEqual([]);
  });

  it('are captured once, and not at all when an application is up', () => {
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
    'refuse %j',
    (options) => {
      expect(() => captureEarlySignals({ process: proc, ...(options as object) })).toThrow(/signals|bootTimeoutMs/);
      expect(counts()).toEqual([0, 0, 0, 0, 0]);
    },
  );
});
