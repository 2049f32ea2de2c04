import { RecordingLogger } from '@roost/kernel/testing';
import { CoordinatedShutdown, ProcessTerminateReason } from './core/index.js';

const { jest } = import.meta;

const listeners = () => [process.listenerCount('SIGTERM'), process.listenerCount('SIGINT')];

describe('@roost/shutdown/early', () => {
  it('keeps a signal that arrives during boot for the first shutdown that listens', async () => {
    const kill = jest.spyOn(process, 'kill').mockReturnValue(true);
    const said = jest.spyOn(console, 'error').mockReturnValue(undefined);
    const shutdown = new CoordinatedShutdown({ logger: new RecordingLogger(), exit: { process: false } });
    const before = listeners();

    const early = await import('./early.js');
    expect(Object.keys(early)).toEqual([]);
    expect(listeners()).toEqual(before.map((count) => count + 1));
    process.emit('SIGTERM');
    expect(said).toHaveBeenCalledWith(expect.stringContaining('SIGTERM during boot'));

    shutdown.installProcessHooks();
    expect(shutdown.reason).toEqual(new ProcessTerminateReason('SIGTERM'));
    expect(kill).toHaveBeenCalledWith(process.pid, 'SIGTERM');

    const report = await shutdown.terminated;
    expect(report).toMatchObject({ reason: 'process-terminate (SIGTERM)', status: 'completed', exitCode: 0 });
    expect(listeners()).toEqual(before);
    jest.restoreAllMocks();
  });
});
