import {
  Controller,
  Get,
  type INestApplicationContext,
  type INestMicroservice,
  Injectable,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { MessagePattern } from '@nestjs/microservices';
import { Test } from '@nestjs/testing';
import { deferred } from '@roost/kernel';
import { ManualClock } from '@roost/time/testing';
import { createServer, type AddressInfo, type Server } from 'node:net';
import {
  ApplicationStoppedError,
  CoordinatedShutdown,
  CoordinatedShutdownModule,
  enableCoordinatedShutdown,
  Phase,
  ShutdownModuleMissingError,
  ShutdownReason,
  ShutdownTask,
} from './index.js';
import { ADAPTERS, type AppMetadata, Apps, raise, request, TCP, TcpClient } from './nest-app.fixture.js';
import { RecordingLogger } from '@roost/kernel/testing';

const { jest } = import.meta;
const apps = new Apps();
afterEach(async () => {
  await apps.closeAll();
  jest.restoreAllMocks();
});

let calls: string[] = [];
beforeEach(() => (calls = []));

class AdminReason extends ShutdownReason {}

@Injectable()
class Database implements OnModuleDestroy, OnApplicationShutdown {
  @ShutdownTask(Phase.ServiceStop)
  async stop(): Promise<void> {
    await Promise.resolve();
    calls.push('phase');
  }
  onModuleDestroy(): void {
    calls.push('onModuleDestroy');
  }
  onApplicationShutdown(): void {
    calls.push('onApplicationShutdown');
  }
}

@Controller()
class Hello {
  @Get()
  hello(): string {
    return 'hello';
  }
  @MessagePattern('sum')
  sum(numbers: number[]): number {
    return numbers.reduce((a, b) => a + b, 0);
  }
}

const ORDER = ['phase', 'onModuleDestroy', 'onApplicationShutdown'];

interface Started {
  app: INestApplicationContext;
  shutdown: CoordinatedShutdown;
  /** Sends a request from outside. Works while the transports of the application are open. */
  use?: () => Promise<unknown>;
  /** Expected response of `use`. */
  answer?: unknown;
}
type Start = (metadata: AppMetadata) => Promise<Started>;

const startHttp =
  (createAdapter: () => Parameters<Apps['http']>[1]): Start =>
  async (metadata) => {
    const app = await apps.http({ controllers: [Hello], ...metadata }, createAdapter());
    const shutdown = enableCoordinatedShutdown(app);
    await app.listen(0, '127.0.0.1');
    return { app, shutdown, use: () => request(app), answer: { status: 200, body: 'hello' } };
  };

const clients: TcpClient[] = [];
afterEach(() => clients.splice(0).forEach((client) => client.close()));

const sumOver = async (service: INestMicroservice): Promise<() => Promise<unknown>> => {
  const client = await TcpClient.connect(service);
  clients.push(client);
  return () => client.send('sum', [1, 2, 3]);
};

const KINDS: [string, Start][] = [
  ...ADAPTERS.map(([name, create]): [string, Start] => [`an HTTP application on ${name}`, startHttp(create)]),
  [
    'a hybrid application',
    async (metadata) => {
      const app = await apps.http({ controllers: [Hello], ...metadata });
      const service = app.connectMicroservice(TCP);
      const shutdown = enableCoordinatedShutdown(app);
      await app.startAllMicroservices();
      await app.listen(0, '127.0.0.1');
      return { app, shutdown, use: await sumOver(service), answer: 6 };
    },
  ],
  [
    'a microservice',
    async (metadata) => {
      const app = await apps.microservice({ controllers: [Hello], ...metadata });
      const shutdown = enableCoordinatedShutdown(app);
      await app.listen();
      return { app, shutdown, use: await sumOver(app), answer: 6 };
    },
  ],
  [
    'an application context',
    async (metadata) => {
      const app = await apps.context(metadata);
      return { app, shutdown: enableCoordinatedShutdown(app) };
    },
  ],
  [
    'a testing application',
    async ({ shutdown: options, ...metadata }) => {
      const imports = [CoordinatedShutdownModule.forRoot({ logger: new RecordingLogger(), ...options })];
      const testing = await Test.createTestingModule({ imports, ...metadata, controllers: [Hello] }).compile();
      const app = apps.track(testing.createNestApplication({ logger: false }));
      const shutdown = enableCoordinatedShutdown(app);
      await app.listen(0, '127.0.0.1');
      return { app, shutdown, use: () => request(app), answer: { status: 200, body: 'hello' } };
    },
  ],
];

describe.each(KINDS)('%s', (_, start) => {
  it("runs the phases, then Nest's hooks, on close()", async () => {
    const { app, shutdown } = await start({ providers: [Database] });

    await app.close();

    expect(calls).toEqual(ORDER);
    expect(shutdown.state).toBe('stopped');
    const report = await shutdown.terminated;
    expect(report).toMatchObject({ reason: 'application-close', otherReasons: [], status: 'completed', exitCode: 0 });
    expect(report.hooks?.map(({ name }) => name)).toEqual([
      'Database.onModuleDestroy',
      'Database.onApplicationShutdown',
    ]);
  });

  it('is closed by run(), whose promise resolves before that', async () => {
    const { app, shutdown } = await start({ providers: [Database] });

    const atPhasesEnd = await shutdown.run(new AdminReason());
    expect(calls).toEqual(['phase']);
    expect(shutdown.state).toBe('stopping');
    expect(atPhasesEnd).toMatchObject({ reason: 'admin', status: 'completed' });

    await shutdown.terminated;
    expect(calls).toEqual(ORDER);
    await app.close();
    expect(calls).toEqual(ORDER);
  });

  it('runs everything once, no matter how often it is closed', async () => {
    const { app } = await start({ providers: [Database] });

    await Promise.all([app.close(), app.close()]);
    await app.close();

    expect(calls).toEqual(ORDER);
  });

  it('is closed by a signal, with the signal as the reason', async () => {
    const exit = jest.spyOn(process, 'exit').mockReturnValue(undefined as never);
    const { shutdown } = await start({ providers: [Database], shutdown: { exit: { process: false } } });

    raise('SIGTERM');

    expect(await shutdown.terminated).toMatchObject({ reason: 'process-terminate (SIGTERM)', status: 'completed' });
    expect(calls).toEqual(ORDER);
    expect(exit).not.toHaveBeenCalled();
  });

  it('adds one listener per signal and removes it at the end', async () => {
    const count = () => [process.listenerCount('SIGTERM'), process.listenerCount('SIGINT')];
    const before = count();
    const { app } = await start({});
    expect(count()).toEqual(before.map((n) => n + 1));

    enableCoordinatedShutdown(app);
    expect(count()).toEqual(before.map((n) => n + 1));
    await app.close();

    expect(count()).toEqual(before);
  });

  it('can be enabled twice', async () => {
    const { app, shutdown } = await start({ providers: [Database] });

    expect(enableCoordinatedShutdown(app)).toBe(shutdown);
    await app.close();

    expect(calls).toEqual(ORDER);
  });

  it('fails a task that awaits its close()', async () => {
    const { app, shutdown } = await start({});
    shutdown.addTask(Phase.ServiceStop, 'impatient', async () => {
      await app.close();
    });

    await app.close();

    const { phases, status } = await shutdown.terminated;
    expect(status).toBe('failed');
    expect(phases.flatMap(({ tasks }) => tasks)).toEqual([
      expect.objectContaining({
        status: 'failed',
        error: expect.objectContaining({ code: 'SHUTDOWN_AWAITED_IN_TASK' }) as object,
      }),
    ]);
  });

  it('closes even if a hook throws, and reports the hook as failed', async () => {
    class Broken implements OnModuleDestroy {
      async onModuleDestroy(): Promise<void> {
        throw new Error('no');
      }
    }
    const { app, shutdown } = await start({ providers: [Broken, Database] });

    await expect(app.close()).resolves.toBeUndefined();

    const { status, exitCode, hooks } = await shutdown.terminated;
    expect({ status, exitCode }).toEqual({ status: 'failed', exitCode: 1 });
    expect(hooks).toContainEqual({
      name: 'Broken.onModuleDestroy',
      status: 'failed',
      durationMs: expect.any(Number) as number,
      error: { message: 'no' },
    });
    expect(calls).toEqual(ORDER);
  });

  it('closes at the overall deadline even if a hook hangs, and names the hook', async () => {
    const stuck = deferred();
    const called = deferred();
    class Stuck implements OnModuleDestroy {
      onModuleDestroy(): Promise<void> {
        called.resolve();
        return stuck.promise;
      }
    }
    const clock = new ManualClock();
    const logger = new RecordingLogger();
    const { app, shutdown } = await start({ providers: [Stuck], shutdown: { clock, logger, timeoutMs: 9_000 } });
    const closed = app.close();
    await called.promise;

    await clock.advanceAsync(9_000);
    await closed;

    const { status, hooks } = await shutdown.terminated;
    expect(status).toBe('forced');
    expect(hooks).toEqual([expect.objectContaining({ name: 'Stuck.onModuleDestroy', status: 'timed-out' })]);
    expect(logger.of('error')).toEqual([
      expect.stringMatching(/overall deadline of 9 s; still running:\n {2}Stuck.onModuleDestroy/),
      expect.stringContaining('shutdown forced in 9 s'),
    ]);
    stuck.resolve();
    await new Promise(setImmediate);
  });

  it('runs the hooks of a frozen instance', async () => {
    const frozen = Object.freeze({
      onModuleDestroy: () => void calls.push('frozen'),
    });
    const { app } = await start({ providers: [{ provide: 'frozen', useValue: frozen }] });

    await app.close();

    expect(calls).toEqual(['frozen']);
  });

  it('closes without an error under throwOnFailure, while run() rejects', async () => {
    const { app, shutdown } = await start({ shutdown: { throwOnFailure: true } });
    shutdown.addTask(Phase.ServiceStop, 'broken', () => Promise.reject(new Error('no')));

    await expect(app.close()).resolves.toBeUndefined();
    await expect(shutdown.run()).rejects.toMatchObject({ code: 'SHUTDOWN_FAILED' });
  });
});

const SERVERS = KINDS.filter(([name]) => name !== 'an application context');

describe.each(SERVERS)('%s', (_, start) => {
  it('serves requests until the phases have finished, and stops when it closes', async () => {
    const { app, shutdown, use, answer } = await start({});
    const answers: unknown[] = [];
    shutdown.addTask(Phase.ActorSystemTerminate, 'use', async () => {
      answers.push(await use!());
    });

    await app.close();

    expect(answers).toEqual([answer]);
    await expect(Promise.resolve().then(use)).rejects.toThrow();
  });
});

describe('enableCoordinatedShutdown', () => {
  it('names the missing module', async () => {
    const app = await NestFactory.createApplicationContext(class Empty {}, { logger: false });

    expect(() => enableCoordinatedShutdown(app)).toThrow(ShutdownModuleMissingError);
    expect(() => enableCoordinatedShutdown(app)).toThrow(/CoordinatedShutdownModule.forRoot\(\)/);
    await app.close();
  });

  it("listens for the given signals instead of the module's", async () => {
    const count = () => ['SIGTERM', 'SIGINT', 'SIGHUP'].map((signal) => process.listenerCount(signal));
    const before = count();
    const app = await apps.http({});
    enableCoordinatedShutdown(app, { signals: ['SIGHUP'] });
    await app.init();

    expect(count()).toEqual([before[0], before[1], before[2]! + 1]);
  });

  it('runs the tasks of an application that is closed before init()', async () => {
    const app = await apps.http({ providers: [Database] });
    enableCoordinatedShutdown(app);

    await app.close();

    expect(calls).toEqual(ORDER);
  });
});

describe('A failed boot', () => {
  class Broken implements OnModuleInit {
    onModuleInit(): void {
      throw new Error('no database');
    }
  }

  it.each(['init', 'listen'] as const)('in %s() tears down the application and rethrows', async (method) => {
    const app = await apps.http({ providers: [Database, Broken] });
    const shutdown = enableCoordinatedShutdown(app);

    const booted = method === 'init' ? app.init() : app.listen(0);

    await expect(booted).rejects.toThrow('no database');
    expect(calls).toEqual(ORDER);
    expect(await shutdown.terminated).toMatchObject({ reason: 'bootstrap-failed (no database)', otherReasons: [] });
    expect(process.listenerCount('SIGTERM')).toBe(0);
  });

  it('of a microservice tears down the application and rethrows', async () => {
    const app = await apps.microservice({ providers: [Database, Broken] });
    const shutdown = enableCoordinatedShutdown(app);

    await expect(app.listen()).rejects.toThrow('no database');

    expect(calls).toEqual(ORDER);
    expect(await shutdown.terminated).toMatchObject({ reason: 'bootstrap-failed (no database)' });
  });

  it('before any hook still runs the tasks', async () => {
    const app = await apps.http({ providers: [Database] });
    const shutdown = enableCoordinatedShutdown(app);
    jest.spyOn(app.getHttpAdapter(), 'init' as never).mockRejectedValue(new Error('no adapter') as never);

    await expect(app.init()).rejects.toThrow('no adapter');

    expect(calls).toEqual(ORDER);
    expect(shutdown.state).toBe('stopped');
  });

  describe('with a port in use', () => {
    const occupied = async (): Promise<{ server: Server; port: number }> => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return { server, port: (server.address() as AddressInfo).port };
    };

    it.each(ADAPTERS)(
      'tears down the application and rethrows when the port is in use, on %s',
      async (_, createAdapter) => {
        const { server, port } = await occupied();
        const app = await apps.http({ providers: [Database] }, createAdapter());
        const shutdown = enableCoordinatedShutdown(app);

        await expect(app.listen(port, '127.0.0.1')).rejects.toMatchObject({ code: 'EADDRINUSE' });

        expect(calls).toEqual(ORDER);
        expect((await shutdown.terminated).reason).toMatch(/^bootstrap-failed \(.*EADDRINUSE/);
        await new Promise((resolve) => server.close(resolve));
      },
    );

    it('tears down a hybrid application and rethrows when the port of its microservice is in use', async () => {
      const { server, port } = await occupied();
      const app = await apps.http({ providers: [Database] });
      app.connectMicroservice({ ...TCP, options: { ...TCP.options, port } });
      const shutdown = enableCoordinatedShutdown(app);

      await expect(app.startAllMicroservices()).rejects.toMatchObject({ code: 'EADDRINUSE' });

      expect(calls).toEqual(ORDER);
      expect(shutdown.state).toBe('stopped');
      await new Promise((resolve) => server.close(resolve));
    });
  });
});

describe('A shutdown during boot', () => {
  /** Blocks `init()` until released. */
  const slow = () => {
    const gate = deferred();
    const begun = deferred();
    class Slow implements OnModuleInit {
      async onModuleInit(): Promise<void> {
        begun.resolve();
        await gate.promise;
        calls.push('initialised');
      }
    }
    return { Slow, begun: begun.promise, release: gate.resolve };
  };

  it.each(ADAPTERS)(
    'by a signal waits for the boot, then tears down the application before it listens, on %s',
    async (_, create) => {
      const { Slow, begun, release } = slow();
      const app = await apps.http({ providers: [Slow, Database], shutdown: { exit: { process: false } } }, create());
      const shutdown = enableCoordinatedShutdown(app);
      const booted = app.listen(0).catch((error: unknown) => error);
      await begun;

      raise('SIGTERM');
      await new Promise(setImmediate);
      expect([shutdown.state, String(shutdown.reason)]).toEqual(['running', 'process-terminate (SIGTERM)']);
      release();

      expect(await shutdown.terminated).toMatchObject({ reason: 'process-terminate (SIGTERM)', exitCode: 0 });
      expect(calls).toEqual(['initialised', ...ORDER]);
      expect(app.getHttpServer().listening).toBe(false);
      expect(await booted).toBeInstanceOf(ApplicationStoppedError);
    },
  );

  it('by a signal keeps a microservice from listening', async () => {
    const { Slow, begun, release } = slow();
    const app = await apps.microservice({ providers: [Slow, Database], shutdown: { exit: { process: false } } });
    const shutdown = enableCoordinatedShutdown(app);
    const booted = app.listen().catch((error: unknown) => error);
    await begun;

    raise('SIGTERM');
    release();

    expect(await shutdown.terminated).toMatchObject({ reason: 'process-terminate (SIGTERM)', exitCode: 0 });
    expect(calls).toEqual(['initialised', ...ORDER]);
    expect(app.unwrap<Server>().listening).toBe(false);
    expect(await booted).toBeInstanceOf(ApplicationStoppedError);
  });

  it.each<[string, () => Promise<{ app: INestApplicationContext; listen: () => Promise<unknown> }>]>([
    [
      'an HTTP application',
      async () => {
        const app = await apps.http({ providers: [Impatient] });
        return { app, listen: () => app.listen(0) };
      },
    ],
    [
      'a microservice',
      async () => {
        const app = await apps.microservice({ providers: [Impatient] });
        return { app, listen: () => app.listen() };
      },
    ],
  ])('from code makes listen() fail: %s', async (_, create) => {
    const { app, listen } = await create();
    const shutdown = enableCoordinatedShutdown(app);

    await expect(listen()).rejects.toThrow(ApplicationStoppedError);

    expect(await shutdown.terminated).toMatchObject({ reason: 'admin', otherReasons: [] });
  });

  it.each(['init', 'listen'] as const)('makes a later %s() fail', async (method) => {
    const app = await apps.http({});
    enableCoordinatedShutdown(app);
    await app.close();

    await expect(method === 'init' ? app.init() : app.listen(0)).rejects.toThrow(ApplicationStoppedError);
  });

  @Injectable()
  class Impatient implements OnModuleInit {
    constructor(private readonly shutdown: CoordinatedShutdown) {}
    onModuleInit(): void {
      void this.shutdown.run(new AdminReason());
    }
  }
});
