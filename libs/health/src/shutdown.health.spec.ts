import { HealthIndicatorService } from '@nestjs/terminus';
import { deferred } from '@roost/kernel';
import { RecordingLogger } from '@roost/kernel/testing';
import { CoordinatedShutdown, Phase, ProcessTerminateReason } from '@roost/shutdown';
import { HealthShutdownMissingError, ShutdownHealthIndicator } from './index.js';

const setup = () => {
  const shutdown = new CoordinatedShutdown({ logger: new RecordingLogger() });
  const indicator = new ShutdownHealthIndicator(new HealthIndicatorService(), shutdown);
  return { shutdown, indicator };
};

describe('ShutdownHealthIndicator', () => {
  it('is up while the application runs, under the given key', () => {
    const { indicator } = setup();
    expect(indicator.isHealthy()).toEqual({ shutdown: { status: 'up' } });
    expect(indicator.isHealthy('going')).toEqual({ going: { status: 'up' } });
  });

  it('is down while the application boots', () => {
    const { shutdown, indicator } = setup();
    const host = {
      booted: false,
      whenBooted: () => undefined,
      close: () => Promise.resolve(),
      pending: () => [],
      hooks: () => [],
    };
    shutdown.attachHost(host);
    expect(indicator.isHealthy()).toEqual({ shutdown: { status: 'down', message: 'booting' } });

    host.booted = true;
    expect(indicator.isHealthy()).toEqual({ shutdown: { status: 'up' } });
  });

  it('is down from the call of run() on, before any phase has started', async () => {
    const { shutdown, indicator } = setup();

    const over = shutdown.run(new ProcessTerminateReason('SIGTERM'));

    expect(indicator.isHealthy()).toEqual({
      shutdown: { status: 'down', phase: 'about to begin', reason: 'process-terminate (SIGTERM)', inFlight: 0 },
    });
    await over;
  });

  it('reports the running phase, and afterwards the shutdown hooks', async () => {
    const { shutdown, indicator } = setup();
    const seen: unknown[] = [];
    const look = () => void seen.push(indicator.isHealthy()['shutdown']);
    shutdown.addTask(Phase.ServiceUnbind, 'look', look);
    shutdown.addTask(Phase.ServiceStop, 'look', look);

    await shutdown.run();

    look();
    const down = (phase: string) => ({ status: 'down', phase, reason: 'unknown', inFlight: 0 });
    expect(seen).toEqual([down(Phase.ServiceUnbind), down(Phase.ServiceStop), down('shutdown hooks')]);
  });

  it('reports the next phase between two phases, never that all have finished', async () => {
    const { shutdown, indicator } = setup();
    const seen: unknown[] = [];
    shutdown.events$.subscribe((event) => {
      if (event.type === 'phase.finished') seen.push(indicator.isHealthy()['shutdown']?.['phase']);
    });
    const phases = shutdown.describe().map(({ name }) => name);

    await shutdown.run();

    expect(seen).toEqual([...phases.slice(1), 'shutdown hooks']);
  });

  it('names all phases that run concurrently', async () => {
    const shutdown = new CoordinatedShutdown({
      logger: new RecordingLogger(),
      concurrency: 'graph',
      phases: { a: {}, b: {}, c: { dependsOn: ['a', 'b'] } },
    });
    const indicator = new ShutdownHealthIndicator(new HealthIndicatorService(), shutdown);
    let seen: unknown;
    const began = deferred();
    shutdown.addTask('a', 'look', async () => {
      await began.promise;
      seen = indicator.isHealthy()['shutdown']?.['phase'];
    });
    let aLooked: Promise<unknown> = Promise.resolve();
    shutdown.addTask('b', 'wait', () => {
      began.resolve();
      aLooked = new Promise((resolve) => setImmediate(resolve));
      return aLooked;
    });

    await shutdown.run();

    expect(String(seen).split(', ')).toEqual(expect.arrayContaining(['a', 'b']));
  });

  it('reports the in-flight work of all parts of the application', async () => {
    let inFlight = 3;
    const { shutdown, indicator } = setup();
    shutdown.addInFlightGauge(() => inFlight);
    expect(indicator.isHealthy()).toEqual({ shutdown: { status: 'up' } });

    void shutdown.run();
    expect(indicator.isHealthy()['shutdown']).toMatchObject({ inFlight: 3 });
    inFlight = 0;
    expect(indicator.isHealthy()['shutdown']).toMatchObject({ inFlight: 0 });
    await shutdown.terminated;
  });

  it('cannot be created without a shutdown', () => {
    const missing = undefined as unknown as CoordinatedShutdown;
    expect(() => new ShutdownHealthIndicator(new HealthIndicatorService(), missing)).toThrow(
      HealthShutdownMissingError,
    );
  });
});
