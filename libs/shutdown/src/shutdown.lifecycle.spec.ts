import {
  type BeforeApplicationShutdown,
  Controller,
  Get,
  type INestApplication,
  Injectable,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { MessagePattern } from '@nestjs/microservices';
import { deferred } from '@roost/kernel';
import { ManualClock } from '@roost/time/testing';
import {
  ApplicationCloseReason,
  ApplicationStoppedError,
  CoordinatedShutdown,
  Phase,
  ShutdownReason,
  ShutdownTask,
} from './index.js';
import { ADAPTERS, Apps, raise, request } from './nest-app.fixture.js';
import { RecordingLogger } from '@roost/kernel/testing';

const { jest } = import.meta;
const apps = new Apps();
afterEach(() => apps.closeAll());

let calls: string[] = [];
beforeEach(() => (calls = []));

@Injectable()
class Database implements OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown {
  @ShutdownTask(Phase.BeforeServiceUnbind)
  announce(): void {
    calls.push('first phase');
  }
  @ShutdownTask(Phase.ActorSystemTerminate)
  async end(): Promise<void> {
    await Promise.resolve();
    calls.push('last phase');
  }
  onModuleDestroy(): void {
    calls.push('onModuleDestroy');
  }
  beforeApplicationShutdown(): void {
    calls.push('beforeApplicationShutdown');
  }
  onApplicationShutdown(signal?: string): void {
    calls.push(`onApplicationShutdown ${signal}`);
  }
}

@Controller()
class Hello {
  @Get()
  hello(): string {
    return 'hello';
  }
}

const PHASES = ['first phase', 'last phase'];
const HOOKS = ['onModuleDestroy', 'beforeApplicationShutdown', 'onApplicationShutdown undefined'];

describe.each(ADAPTERS)('An HTTP application on %s that only imports the module', (_, createAdapter) => {
  const listening = async (metadata: Parameters<Apps['http']>[0], options = {}): Promise<INestApplication> => {
    const app = await apps.http({ controllers: [Hello], ...metadata }, createAdapter(), options);
    await app.listen(0, '127.0.0.1');
    return app;
  };

  it("runs the phases before any of Nest's hooks on close()", async () => {
    const app = await listening({ providers: [Database] });

    await app.close();

    expect(calls).toEqual([...PHASES, ...HOOKS]);
    const report = await app.get(CoordinatedShutdown).terminated;
    expect(report).toMatchObject({ reason: 'application-close', status: 'completed', exitCode: 0 });
    expect(report.hooks?.map(({ name }) => name)).toEqual([
      'Database.onModuleDestroy',
      'Database.beforeApplicationShutdown',
      'Database.onApplicationShutdown',
    ]);
    expect(app.get(CoordinatedShutdown).reason).toBeInstanceOf(ApplicationCloseReason);
  });

  it('answers requests during the phases, but not afterwards', async () => {
    const app = await listening({});
    const answers: unknown[] = [];
    app.get(CoordinatedShutdown).addTask(Phase.ActorSystemTerminate, 'ask', async () => {
      answers.push(await request(app));
    });
    const { port } = app.getHttpServer().address() as { port: number };

    await app.close();

    expect(answers).toEqual([{ status: 200, body: 'hello' }]);
    const gone = { getHttpServer: () => ({ address: () => ({ port }) }) } as unknown as INestApplication;
    await expect(request(gone)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('answers 503 from the start of the phases with return503OnClosing', async () => {
    const app = await listening({}, { return503OnClosing: true });
    const statuses: number[] = [(await request(app)).status];
    app.get(CoordinatedShutdown).addTask(Phase.BeforeServiceUnbind, 'ask', async () => {
      statuses.push((await request(app)).status);
    });

    await app.close();

    expect(statuses).toEqual([200, 503]);
  });

  it('runs once when closed twice, concurrently or later', async () => {
    const app = await listening({ providers: [Database] });

    await Promise.all([app.close(), app.close()]);
    expect(calls).toEqual([...PHASES, ...HOOKS]);

    // Nest itself runs its hooks again on a later close.
    calls = [];
    await app.close();
    expect(calls).toEqual(HOOKS);
  });

  it('runs its tasks when closed before init()', async () => {
    const app = await apps.http({ providers: [Database] }, createAdapter());

    await app.close();

    expect(calls.toSorted()).toEqual([...PHASES, ...HOOKS].toSorted());
    expect(app.get(CoordinatedShutdown).state).toBe('stopped');
  });

  it.each(['during', 'after'])('does not start listening %s its shutdown', async (when) => {
    const app = await apps.http({ controllers: [Hello] }, createAdapter());
    await app.init();
    const run = app.get(CoordinatedShutdown).run();
    if (when === 'after') await run;

    const error: unknown = await app.listen(0).catch((error: unknown) => error);

    expect(error).toBeInstanceOf(ApplicationStoppedError);
    expect(error).toMatchObject({ code: 'SHUTDOWN_APPLICATION_STOPPED', reason: 'unknown' });
    expect(app.getHttpServer().listening).toBe(false);
    await run;
  });

  it('closes even if a task failed, regardless of throwOnFailure', async () => {
    const app = await listening({ providers: [Database], shutdown: { throwOnFailure: true } });
    app.get(CoordinatedShutdown).addTask(Phase.ServiceStop, 'broken', () => {
      throw new Error('no');
    });

    await expect(app.close()).resolves.toBeUndefined();

    expect(calls).toEqual([...PHASES, ...HOOKS]);
    expect(await app.get(CoordinatedShutdown).terminated).toMatchObject({ status: 'failed', exitCode: 1 });
  });

  it('delays its hooks until phases started by other code have finished', async () => {
    class AdminReason extends ShutdownReason {}
    const app = await listening({ providers: [Database] });
    const shutdown = app.get(CoordinatedShutdown);
    void shutdown.run(new AdminReason());

    await app.close();

    expect(calls).toEqual([...PHASES, ...HOOKS]);
    expect(await shutdown.terminated).toMatchObject({ reason: 'admin', otherReasons: [] });
  });

  it('fails a task that awaits app.close()', async () => {
    const app = await listening({});
    app.get(CoordinatedShutdown).addTask(Phase.ServiceStop, 'impatient', () => app.close());

    const { phases } = await app.get(CoordinatedShutdown).run();

    expect(phases.flatMap(({ tasks }) => tasks)).toEqual([
      expect.objectContaining({
        name: 'impatient',
        status: 'failed',
        error: expect.objectContaining({ code: 'SHUTDOWN_AWAITED_IN_TASK' }) as object,
      }),
    ]);
  });

  it('keeps the beforeClose of the adapter', async () => {
    const adapter = createAdapter();
    const beforeClose = jest.spyOn(adapter, 'beforeClose' as never).mockImplementation((() => {
      calls.push('beforeClose');
    }) as never);
    const app = await apps.http({ providers: [Database] }, adapter);
    await app.init();

    await app.close();

    expect(beforeClose).toHaveBeenCalledTimes(1);
    expect(calls).toEqual(['beforeClose', ...PHASES, ...HOOKS]);
  });

  it('adds its signal listeners at boot and removes them on close()', async () => {
    const count = () => [process.listenerCount('SIGTERM'), process.listenerCount('SIGINT')];
    const before = count();
    const app = await apps.http({}, createAdapter());
    expect(count()).toEqual(before);
    await app.init();
    expect(count()).toEqual(before.map((n) => n + 1));

    await app.close();

    expect(count()).toEqual(before);
  });

  it('listens for no signal if the list is empty', async () => {
    const before = process.listenerCount('SIGTERM');
    await listening({ shutdown: { signals: [] } });

    expect(process.listenerCount('SIGTERM')).toBe(before);
  });

  it("runs phases, then hooks with the signal, then exits, with Nest's own shutdown hooks enabled", async () => {
    const ends: unknown[] = [];
    jest.spyOn(process, 'exit').mockImplementation(((code: unknown) => ends.push(`exit ${String(code)}`)) as never);
    jest.spyOn(process, 'kill').mockImplementation((_pid, signal) => {
      ends.push(`kill ${signal}`);
      return true;
    });
    const app = await listening({ providers: [Database], shutdown: { exit: { process: false } } });
    app.enableShutdownHooks(['SIGTERM'], { useProcessExit: true });

    raise('SIGTERM');
    const report = await app.get(CoordinatedShutdown).terminated;

    expect(calls).toEqual([...PHASES, ...HOOKS.slice(0, 2), 'onApplicationShutdown SIGTERM']);
    expect(report).toMatchObject({ reason: 'process-terminate (SIGTERM)', status: 'completed' });
    expect(report.hooks).toHaveLength(3);
    await new Promise(setImmediate);
    expect(ends).toEqual(['exit 0']);
    jest.restoreAllMocks();
  });
});

describe('A task that awaits app.close()', () => {
  it('is cut off at the phase timeout if app.close() waits for it', async () => {
    const clock = new ManualClock();
    const app = await apps.http({ shutdown: { clock } });
    await app.init();
    app.get(CoordinatedShutdown).addTask(Phase.ServiceStop, 'impatient', () => app.close());
    const closed = app.close();

    await clock.advanceAsync(5_000);
    await closed;

    const { phases } = await app.get(CoordinatedShutdown).terminated;
    expect(phases.flatMap(({ tasks }) => tasks)).toEqual([
      expect.objectContaining({ name: 'impatient', status: 'timed-out', durationMs: 5_000 }),
    ]);
  });
});

describe('An application that is never closed', () => {
  it('ends its shutdown after the phases and warns about the missing call', async () => {
    const logger = new RecordingLogger();
    const app = await apps.http({ providers: [Database], shutdown: { logger } });
    await app.init();

    await app.get(CoordinatedShutdown).run();
    await app.get(CoordinatedShutdown).terminated;

    expect(calls).toEqual(PHASES);
    expect(logger.of('warn')).toEqual([expect.stringContaining('nothing closed the Nest application')]);
  });
});

describe('A module loaded lazily during boot', () => {
  it('does not delay a later signal', async () => {
    @Injectable()
    class Loader {
      constructor(private readonly loader: LazyModuleLoader) {}
      async onModuleInit(): Promise<void> {
        await this.loader.load(() => ({ module: class Lazy {} }));
      }
    }
    const app = await apps.http({ providers: [Loader], shutdown: { exit: { process: false } } });
    await app.init();

    raise('SIGTERM');

    expect(app.get(CoordinatedShutdown).state).toBe('stopping');
  });
});

describe('A hook of another global module', () => {
  it('is awaited and reported', async () => {
    class Broken implements OnApplicationShutdown {
      async onApplicationShutdown(): Promise<void> {
        await new Promise(setImmediate);
        throw new Error('no');
      }
    }
    const app = await apps.http({ imports: [{ module: class Other {}, global: true, providers: [Broken] }] });
    await app.init();

    await app.close();

    expect(await app.get(CoordinatedShutdown).terminated).toMatchObject({
      status: 'failed',
      hooks: [{ name: 'Broken.onApplicationShutdown', status: 'failed' }],
    });
  });
});

describe('A hook that hangs', () => {
  it('is named at the overall deadline, and the shutdown ends even though the application does not close', async () => {
    const stuck = deferred();
    class Stuck implements OnModuleDestroy {
      onModuleDestroy(): Promise<void> {
        return stuck.promise;
      }
    }
    const clock = new ManualClock();
    const logger = new RecordingLogger();
    const app = await apps.http({ providers: [Stuck], shutdown: { clock, logger } });
    await app.init();
    const closed = app.close();

    await clock.advanceAsync(30_000);
    const report = await app.get(CoordinatedShutdown).terminated;

    expect(report.status).toBe('forced');
    expect(report.hooks).toEqual([
      expect.objectContaining({ name: 'Stuck.onModuleDestroy', status: 'timed-out', durationMs: 30_000 }),
    ]);
    expect(logger.of('error')).toEqual([
      expect.stringContaining('Stuck.onModuleDestroy (30 s)'),
      expect.stringContaining('shutdown forced in 30 s'),
    ]);
    stuck.resolve();
    await closed;
  });
});

describe('An application without an HTTP server that only imports the module', () => {
  const MISSING = expect.stringContaining('needs enableCoordinatedShutdown(app)') as string;

  it('runs the phases inside onModuleDestroy and warns, as an application context', async () => {
    const logger = new RecordingLogger();
    const app = await apps.context({ providers: [Database], shutdown: { logger } });

    await app.close();

    expect(calls).toEqual(['onModuleDestroy', ...PHASES, ...HOOKS.slice(1)]);
    expect(logger.of('warn')).toEqual([MISSING]);
    expect(await app.get(CoordinatedShutdown).terminated).toMatchObject({ reason: 'application-close' });
  });

  it('runs the phases inside onModuleDestroy and warns, as a microservice', async () => {
    @Controller()
    class Sums {
      @MessagePattern('sum')
      sum(numbers: number[]): number {
        return numbers.reduce((a, b) => a + b, 0);
      }
    }
    const logger = new RecordingLogger();
    const app = await apps.microservice({ providers: [Database], controllers: [Sums], shutdown: { logger } });
    await app.listen();

    await app.close();

    expect(calls).toEqual(['onModuleDestroy', ...PHASES, ...HOOKS.slice(1)]);
    expect(logger.of('warn')).toEqual([MISSING]);
  });

  it('does not warn if the phases have already finished', async () => {
    const logger = new RecordingLogger();
    const app = await apps.context({ providers: [Database], shutdown: { logger } });
    const closed = app
      .get(CoordinatedShutdown)
      .run()
      .then(() => app.close());
    await closed;

    expect(calls).toEqual([...PHASES, ...HOOKS]);
    expect(logger.of('warn')).not.toContainEqual(MISSING);
  });

  it('checks its budget once even if a microservice is initialized and then listens', async () => {
    const logger = new RecordingLogger();
    const app = await apps.microservice({ shutdown: { logger, timeoutMs: 20, hooksBudgetMs: 21 } });
    await app.init();
    await app.listen();

    expect(logger.of('warn')).toEqual([expect.stringContaining('shutdown budget does not fit')]);
  });
});
