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
  it('keeps a signal from starting a shutdown and from killing the process', async () => {
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

  it('keeps a second SIGINT from ending a running shutdown', () => {
    ignoreSignals(['SIGINT'], proc);
    joined();
    proc.signal('SIGTERM');
    proc.signal('SIGINT');

    expect(proc.exits).toEqual([]);
  });

  it('ignores a signal before the first participant joins', () => {
    ignoreSignals(['SIGINT'], proc);
    captureEarlySignals({ process: proc });
    proc.signal('SIGINT');

    expect(joined().reason).toBeUndefined();
  });

  it('refuses a name that is not a signal', () => {
    expect(() => ignoreSignals(['SIGNAL' as 'SIGINT'], proc)).toThrow(InvalidShutdownOptionError);
  });
});

describe('hasProcessHooks', () => {
  it('is true from the first participant until the last has terminated', async () => {
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
  it('raises the signal and passes the reason to every shutdown', async () => {
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

  it('passes the reason to shutdowns that join later', async () => {
    const said = jest.spyOn(console, 'error').mockReturnValue();
    captureEarlySignals({ process: proc });
    terminateProcess(new ParentGoneReason(), proc);
    await turn();

    expect(joined().reason).toEqual(new ParentGoneReason());
    expect(said).toHaveBeenCalledTimes(1);
    said.mockRestore();
  });

  it('does not change the reason of other signals', () => {
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

  it('does nothing after a signal', async () => {
    const shutdown = joined();
    proc.signal('SIGTERM');
    terminateProcess(new ProcessReplacedReason(), proc);
    await turn();

    expect(proc.killed).toEqual([]);
    expect(shutdown.reason).toEqual(new ProcessTerminateReason('SIGTERM'));
  });

  it('forgets the reason if the process does not exit', async () => {
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
