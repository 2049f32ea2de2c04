import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '@roost/time/testing';
import { CoordinatedShutdown } from '../coordinated-shutdown.js';
import { InvalidShutdownOptionError } from '../errors/invalid-shutdown-option.error.js';
import { ParentGoneReason, ProcessReplacedReason, ProcessTerminateReason } from '../reasons.js';
import { RecordingLogger } from '@roost/kernel/testing';
import { captureEarlySignals } from './early-signals.js';
import { FakeProcess } from './fake-process.js';
import { hasProcessHooks, ignoreSignals, terminateProcess } from './supervised-process.js';

const { jest } = import.meta;

let proc: FakeProcess;
beforeEach(() => (proc = new FakeProcess()));

const joined = (exit: boolean | 'on-signal' = 'on-signal'): CoordinatedShutdown => {
  const options = { clock: new ManualClock(), logger: new RecordingLogger(), exit: { process: exit } };
  const shutdown = new CoordinatedShutdown(options, proc);
  shutdown.installProcessHooks();
  return shutdown;
};

describe('ignoreSignals', () => {
  it('keeps a signal from beginning a shutdown, and from killing the process', async () => {
    ignoreSignals(['SIGINT', 'SIGHUP'], proc);
    const shutdown = joined();
    proc.signal('SIGINT');
    proc.signal('SIGHUP');

    expect(shutdown.reason).toBeUndefined();
    expect(proc.listenerCount('SIGHUP')).toBe(1);
    proc.signal('SIGTERM');
    expect(shutdown.reason).toEqual(new ProcessTerminateReason('SIGTERM'));
    await shutdown.terminated;
    expect(proc.listenerCount('SIGINT')).toBe(1);
  });

  it('keeps a second SIGINT from ending a shutdown that is under way', () => {
    ignoreSignals(['SIGINT'], proc);
    joined();
    proc.signal('SIGTERM');
    proc.signal('SIGINT');

    expect(proc.exits).toEqual([]);
  });

  it('ignores a signal before anybody has joined', () => {
    ignoreSignals(['SIGINT'], proc);
    captureEarlySignals({ process: proc });
    proc.signal('SIGINT');

    expect(joined().reason).toBeUndefined();
  });

  it('refuses what is not a signal', () => {
    expect(() => ignoreSignals(['SIGNAL' as 'SIGINT'], proc)).toThrow(InvalidShutdownOptionError);
  });
});

describe('hasProcessHooks', () => {
  it('is true from the first that listens until the last has ended', async () => {
    captureEarlySignals({ process: proc });
    expect(hasProcessHooks(proc)).toBe(false);
    const [one, other] = [joined(false), joined(false)];
    expect(hasProcessHooks(proc)).toBe(true);
    one.removeProcessHooks();
    expect(hasProcessHooks(proc)).toBe(true);
    await other.run();
    await other.terminated;
    expect(hasProcessHooks(proc)).toBe(false);
  });
});

describe('terminateProcess', () => {
  it('raises the signal, and gives every shutdown the reason', async () => {
    const shutdowns = [joined(), joined()];
    const reason = new ProcessReplacedReason();
    terminateProcess(reason, proc);

    expect(proc.killed).toEqual(['SIGTERM']);
    await turn();
    expect(shutdowns.map((shutdown) => shutdown.reason)).toEqual([reason, reason]);
    await Promise.all(shutdowns.map((shutdown) => shutdown.terminated));
    await turn();
    expect(proc.exits).toEqual([0]);
  });

  it('is remembered for who joins', async () => {
    const said = jest.spyOn(console, 'error').mockReturnValue();
    captureEarlySignals({ process: proc });
    terminateProcess(new ParentGoneReason(), proc);
    await turn();

    expect(joined().reason).toEqual(new ParentGoneReason());
    expect(said).toHaveBeenCalledTimes(1);
    said.mockRestore();
  });

  it('leaves other signals what they are', () => {
    const shutdown = joined();
    terminateProcess(new ParentGoneReason(), proc);
    proc.signal('SIGINT');

    expect(shutdown.reason).toEqual(new ProcessTerminateReason('SIGINT'));
  });

  it('keeps the first reason', async () => {
    const shutdown = joined();
    terminateProcess(new ProcessReplacedReason(), proc);
    terminateProcess(new ParentGoneReason(), proc);
    await turn();

    expect(shutdown.reason).toEqual(new ProcessReplacedReason());
  });

  it('does nothing when a signal came first', async () => {
    const shutdown = joined();
    proc.signal('SIGTERM');
    terminateProcess(new ProcessReplacedReason(), proc);
    await turn();

    expect(proc.killed).toEqual([]);
    expect(shutdown.reason).toEqual(new ProcessTerminateReason('SIGTERM'));
  });

  it('is forgotten when the process lives on', async () => {
    const shutdown = joined(false);
    terminateProcess(new ProcessReplacedReason(), proc);
    await turn();
    await shutdown.terminated;
    await turn();
    const next = joined(false);
    proc.signal('SIGTERM');

    expect(next.reason).toEqual(new ProcessTerminateReason('SIGTERM'));
  });
});
