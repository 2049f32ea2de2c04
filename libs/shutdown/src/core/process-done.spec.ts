import { Phase } from './phase.js';
import { ProcessDoneReason, ProcessTerminateReason, ShutdownReason, UnknownReason } from './reasons.js';
import { runToEnd, settle, setup } from './shutdown.fixture.js';

describe('ProcessDoneReason', () => {
  it('exits with its code after the shutdown', async () => {
    const { clock, proc, shutdown, work } = setup();
    shutdown.addTask(Phase.ServiceStop, 'slow', work('slow', 50));
    void shutdown.run(new ProcessDoneReason(7));
    await settle(clock);
    expect(proc.exits).toEqual([]);

    expect(await runToEnd(clock, shutdown)).toMatchObject({ reason: 'process-done', status: 'completed', exitCode: 7 });
    await settle(clock);
    expect(proc.exits).toEqual([7]);
  });

  it('exits with the code of a custom reason with endsProcess', async () => {
    class LicenseExpiredReason extends ShutdownReason {
      override readonly endsProcess = true;
      override readonly exitCode = 78;
    }
    const { clock, proc, shutdown } = setup();
    void shutdown.run(new LicenseExpiredReason());

    expect(await runToEnd(clock, shutdown)).toMatchObject({ reason: 'license-expired', exitCode: 78 });
    await settle(clock);
    expect(proc.exits).toEqual([78]);
  });

  it('exits once if a signal arrives during the shutdown', async () => {
    const { clock, proc, shutdown, work } = setup();
    shutdown.installProcessHooks();
    shutdown.addTask(Phase.ServiceStop, 'slow', work('slow', 50));
    void shutdown.run(new ProcessDoneReason(7));
    proc.signal('SIGTERM');
    await runToEnd(clock, shutdown);
    await settle(clock);
    expect(proc.exits).toEqual([7]);
  });

  it('ignores signals while output is flushed', async () => {
    const { clock, proc, shutdown } = setup();
    shutdown.installProcessHooks();
    proc.stdout.fill(10);
    void shutdown.run(new ProcessDoneReason(7));
    await runToEnd(clock, shutdown);
    await settle(clock);
    expect(proc.listenerCount('SIGTERM')).toBe(1);
    proc.signal('SIGTERM');
    proc.stdout.take(10);
    await settle(clock);
    expect(proc.exits).toEqual([7]);
  });

  it.each([
    ['exit.process is false', false, new ProcessDoneReason(7)],
    ['the shutdown has any other reason', 'on-signal', new UnknownReason()],
    ['code starts the shutdown with the reason of a signal', 'on-signal', new ProcessTerminateReason('SIGTERM')],
  ] as const)('does not exit when %s', async (_, process, reason) => {
    const { clock, proc, shutdown } = setup({ exit: { process } });
    void shutdown.run(reason);
    await runToEnd(clock, shutdown);
    await settle(clock);
    expect(proc.exits).toEqual([]);
  });
});
