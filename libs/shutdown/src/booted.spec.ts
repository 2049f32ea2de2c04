import {
  type INestApplicationContext,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { deferred } from '@roost/kernel';
import { FakeHost, setup } from './core/shutdown.fixture.js';
import { CoordinatedShutdown, CoordinatedShutdownModule, enableCoordinatedShutdown } from './index.js';
import { ADAPTERS, Apps, rootModule } from './nest-app.fixture.js';

const apps = new Apps();
afterEach(() => apps.closeAll());

/** A provider whose hooks report that they are reached, and wait until the test releases them. */
const slowProvider = (hook: 'onModuleInit' | 'onApplicationBootstrap') => {
  const reached = deferred();
  const end = deferred();
  const wait = async (): Promise<void> => {
    reached.resolve();
    await end.promise;
  };

  @Injectable()
  class Slow implements OnModuleInit, OnApplicationBootstrap {
    onModuleInit = () => (hook === 'onModuleInit' ? wait() : undefined);
    onApplicationBootstrap = () => (hook === 'onApplicationBootstrap' ? wait() : undefined);
  }
  return { Slow, reached: reached.promise, end: end.resolve };
};

const setups: [string, (app: INestApplicationContext) => void][] = [
  ['only the import', () => undefined],
  ['enableCoordinatedShutdown', (app) => void enableCoordinatedShutdown(app)],
];

describe.each(setups)('CoordinatedShutdown.booted, with %s', (_, enable) => {
  describe.each(ADAPTERS)('on %s', (_name, createAdapter) => {
    it.each(['onModuleInit', 'onApplicationBootstrap'] as const)(
      'is false during a slow %s and true after init()',
      async (hook) => {
        const { Slow, reached, end } = slowProvider(hook);
        const app = await apps.http({ providers: [Slow] }, createAdapter());
        enable(app);
        const shutdown = app.get(CoordinatedShutdown);
        expect(shutdown.booted).toBe(false);

        const init = app.init();
        await reached;
        expect(shutdown.booted).toBe(false);

        end();
        await init;
        expect(shutdown.booted).toBe(true);
      },
    );

    it('stays true during a shutdown', async () => {
      const app = await apps.http({}, createAdapter());
      enable(app);
      await app.init();

      await app.close();

      expect(app.get(CoordinatedShutdown).booted).toBe(true);
    });
  });

  it('is false until a microservice listens, and true afterwards', async () => {
    const { Slow, reached, end } = slowProvider('onApplicationBootstrap');
    const app = await apps.microservice({ providers: [Slow] });
    enable(app);
    const shutdown = app.get(CoordinatedShutdown);

    const listening = app.listen();
    await reached;
    expect(shutdown.booted).toBe(false);

    end();
    await listening;
    expect(shutdown.booted).toBe(true);
  });

  it.each(['provider', 'root module'])('stays false if onApplicationBootstrap of a %s fails', async (where) => {
    class Failing implements OnApplicationBootstrap {
      onApplicationBootstrap(): void {
        throw new Error('no database');
      }
    }
    @Module({})
    class Healthy {}
    const root = {
      ...rootModule({ providers: where === 'provider' ? [Failing] : [] }),
      module: where === 'provider' ? Healthy : Failing,
    };
    const app = apps.track(await NestFactory.create(root, { logger: false, abortOnError: false }));
    enable(app);

    await expect(app.init()).rejects.toThrow('no database');

    expect(app.get(CoordinatedShutdown).booted).toBe(false);
  });
});

describe('CoordinatedShutdown.booted', () => {
  it('is true for an application context as soon as it is created, because creating it includes the boot', async () => {
    const seen: boolean[] = [];
    class Curious implements OnApplicationBootstrap {
      constructor(private readonly shutdown: CoordinatedShutdown) {}
      onApplicationBootstrap(): void {
        seen.push(this.shutdown.booted);
      }
    }
    const curious = {
      provide: Curious,
      useFactory: (s: CoordinatedShutdown) => new Curious(s),
      inject: [CoordinatedShutdown],
    };

    const app = await apps.context({ providers: [curious] });

    expect(seen).toEqual([false]);
    expect(app.get(CoordinatedShutdown).booted).toBe(true);
  });

  it('is separate for each application of a process', async () => {
    const [first, second] = [await apps.http({}), await apps.http({})];

    await first.init();

    expect(first.get(CoordinatedShutdown).booted).toBe(true);
    expect(second.get(CoordinatedShutdown).booted).toBe(false);
  });

  it('is true without a host, and for a host that does not define it', () => {
    const { shutdown } = setup();
    expect(shutdown.booted).toBe(true);

    shutdown.attachHost(new FakeHost());
    expect(shutdown.booted).toBe(true);
  });

  it('returns the value of the host', () => {
    const { shutdown } = setup();
    const host = new FakeHost();
    host.booted = false;
    shutdown.attachHost(host);
    expect(shutdown.booted).toBe(false);

    host.booted = true;
    expect(shutdown.booted).toBe(true);
  });
});

describe('host.booted event', () => {
  const listen = (app: INestApplicationContext): string[] => {
    const events: string[] = [];
    app.get(CoordinatedShutdown).events$.subscribe(({ type }) => events.push(type));
    return events;
  };

  it.each(ADAPTERS)('is emitted after the last hook, when booted is already true, on %s', async (_, adapter) => {
    const { Slow, reached, end } = slowProvider('onApplicationBootstrap');
    const app = await apps.http({ providers: [Slow] }, adapter());
    const events = listen(app);
    let booted: boolean | undefined;
    const shutdown = app.get(CoordinatedShutdown);
    shutdown.events$.subscribe(() => (booted ??= shutdown.booted));
    const init = app.init();
    await reached;
    expect(events).toEqual([]);

    end();
    await init;
    expect(events).toEqual(['host.booted']);
    expect(booted).toBe(true);
  });

  it('is not emitted if the boot fails', async () => {
    class Failing implements OnApplicationBootstrap {
      onApplicationBootstrap(): void {
        throw new Error('no database');
      }
    }
    const app = await apps.http({ providers: [Failing] });
    const events = listen(app);
    await expect(app.init()).rejects.toThrow('no database');
    expect(events).toEqual([]);
  });

  it('is emitted by any host, but not after the shutdown has terminated', async () => {
    const { shutdown, events, finish } = setup();
    shutdown.hostBooted();
    expect(events).toEqual([{ type: 'host.booted' }]);
    await finish();
    const before = events.length;
    shutdown.hostBooted();
    expect(events).toHaveLength(before);
  });
});

describe('CoordinatedShutdownModule', () => {
  it('is the only import that booted needs', async () => {
    @Module({ imports: [CoordinatedShutdownModule] })
    class Plain {}
    const app = apps.track(await NestFactory.create(Plain, { logger: false, abortOnError: false }));

    await app.init();

    expect(app.get(CoordinatedShutdown).booted).toBe(true);
  });
});
