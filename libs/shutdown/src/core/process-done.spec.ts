import { Phase } from './phase.js';
import { ProcessDoneReason, ProcessTerminateReason, ShutdownReason, UnknownReason } from './reasons.js';
import { runToEnd, settle, setup } from './shutdown.fixture.js';

describe('a process that is done', () => {
  it('exits with its code when the shutdown is over', async () => {
    const { clock, proc, shutdown, work } = setup();
    shutdown.addTask(Phase.ServiceStop, 'slow', work('slow', 50));
    void shutdown.run(new ProcessDoneReason(7));
    await settle(clock);
    expect(proc.exits).toEqual([]);

    expect(await runToEnd(clock, shutdown)).toMatchObject({ reason: 'process-done', status: 'completed', exitCode: 7 });
    await settle(clock);
    expect(proc.exits).toEqual([7]);
  });

  it('exits with the code of a reason of the user that ends the process', async () => {
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

  it('exits once when a signal comes on top', async () => {
    const { clock, proc, shutdown, work } = setup();
    shutdown.installProcessHooks();
    shutdown.addTask(Phase.ServiceStop, 'slow', work('slow', 50));
    void shutdown.run(new ProcessDoneReason(7));
    proc.signal('SIGTERM');
    await runToEnd(clock, shutdown);
    await settle(clock);
    expect(proc.exits).toEqual([7]);
  });

  it('takes no signal amiss while the output is written', async () => {
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
    ['any other reason began the shutdown', 'on-signal', new UnknownReason()],
    ['a shutdown that code has begun has the reason of a signal', 'on-signal', new ProcessTerminateReason('SIGTERM')],
  ] as const)('is left to its owner when %s', async (_, process, reason) => {
    const { clock, proc, shutdown } = setup({ exit: { process } });
    void shutdown.run(reason);
    await runToEnd(clock, shutdown);
    await settle(clock);
    expect(proc.exits).toEqual([]);
  });
});
