import { Injectable, Logger, type LoggerService, Module } from '@nestjs/common';
import { RecordingLogger } from '@roost/kernel/testing';
import { CoordinatedShutdown } from '@roost/shutdown';
import { TestApps } from '@roost/shutdown/testing';
import { Drain } from './core/index.js';
import {
  DEFAULT_DRAIN_OPTIONS,
  DrainModule,
  type DrainOptions,
  DrainService,
  DrainShutdownMissingError,
  InvalidDrainOptionError,
} from './index.js';
import { Apps } from './nest-app.fixture.js';

const { jest } = import.meta;
jest.setTimeout(30_000);
const apps = new Apps();
afterEach(() => apps.closeAll());

type Imports = NonNullable<Parameters<typeof Module>[0]['imports']>;

/** Creates an application with a shutdown and only these imports. */
const boot = (imports: Imports, logger: LoggerService | false = false) =>
  apps.context({ drain: false, imports }, { logger });

const optionsOf = async (...imports: Imports) => (await boot(imports)).get(Drain).options;

describe('DrainModule', () => {
  it.each([
    ['as it is', () => DrainModule],
    ['by forRoot()', () => DrainModule.forRoot()],
    ['by forRootAsync()', () => DrainModule.forRootAsync({ useFactory: () => ({}) })],
  ])('has the documented defaults when it is imported %s', async (_, create) => {
    const { logger, ...options } = await optionsOf(create());
    const { logger: _logger, ...defaults } = DEFAULT_DRAIN_OPTIONS;

    expect(options).toEqual(defaults);
    expect(typeof logger.log).toBe('function');
  });

  it('accepts options', async () => {
    expect(await optionsOf(DrainModule.forRoot({ maxWaitMs: 7, exempt: '/a' }))).toMatchObject({
      maxWaitMs: 7,
      exempt: ['/a'],
    });
  });

  it.each<[string, DrainOptions]>([
    ['a bad value', { maxWaitMs: 0 }],
    ['a misspelt option', { maxWait: 5 } as DrainOptions],
  ])('fails the boot for %s', async (_, options) => {
    await expect(boot([DrainModule.forRoot(options)])).rejects.toThrow(InvalidDrainOptionError);
    await expect(boot([DrainModule.forRootAsync({ useFactory: () => options })])).rejects.toThrow(
      InvalidDrainOptionError,
    );
  });

  it.each([
    ['as it is', DrainModule],
    ['by forRoot()', DrainModule.forRoot()],
  ])('fails the boot without a shutdown: imported %s', async (_, drain) => {
    const booted = new TestApps().context({ imports: [drain] });

    await expect(booted).rejects.toThrow(DrainShutdownMissingError);
    await expect(booted).rejects.toMatchObject({ code: 'DRAIN_SHUTDOWN_MISSING' });
  });

  it('rejects a second import with forRoot()', async () => {
    const twice = [
      DrainModule.forRoot(),
      { module: class Feature {}, imports: [DrainModule.forRoot({ maxWaitMs: 5 })] },
    ];

    await expect(boot(twice)).rejects.toMatchObject({ code: 'SHUTDOWN_DUPLICATE_TASK' });
  });

  it('is shared when it is imported as a plain class', async () => {
    const app = await boot([DrainModule, { module: class Feature {}, imports: [DrainModule] }]);

    expect(app.get(DrainService).isDraining).toBe(false);
  });
});

describe('DrainModule.forRootAsync', () => {
  @Injectable()
  class Config {
    createDrainOptions(): DrainOptions {
      return { lameDuckMs: 40 };
    }
  }
  @Module({ providers: [Config], exports: [Config] })
  class ConfigModule {}

  it('accepts a factory with dependencies', async () => {
    const options = await optionsOf(
      DrainModule.forRootAsync({
        imports: [ConfigModule],
        inject: [Config],
        useFactory: async (config: Config) => ({ ...config.createDrainOptions(), maxWaitMs: 20 }),
      }),
    );

    expect(options).toMatchObject({ lameDuckMs: 40, maxWaitMs: 20, settleMs: 100 });
  });

  it('accepts a new class and an existing one', async () => {
    expect((await optionsOf(DrainModule.forRootAsync({ useClass: Config }))).lameDuckMs).toBe(40);
    const existing = DrainModule.forRootAsync({ imports: [ConfigModule], useExisting: Config });
    expect((await optionsOf(existing)).lameDuckMs).toBe(40);
  });
});

describe('injection', () => {
  @Injectable()
  class Orders {
    constructor(readonly drain: DrainService) {}
  }
  const feature = { module: class Feature {}, providers: [Orders] };

  it('works in every module with forRoot()', async () => {
    const app = await boot([DrainModule.forRoot(), feature]);

    expect(app.get(Orders).drain).toBe(app.get(DrainService));
  });

  it('works only in importing modules with isGlobal: false', async () => {
    const drain = DrainModule.forRoot({ isGlobal: false });
    await expect(boot([drain, feature])).rejects.toThrow(/can't resolve dependencies of the Orders/);

    const app = await boot([drain, { ...feature, imports: [drain] }]);
    expect(app.get(Orders).drain.isDraining).toBe(false);
  });
});

describe('in-flight work', () => {
  it('is added to the in-flight work of the application', async () => {
    const app = await boot([DrainModule.forRoot()]);
    const shutdown = app.get(CoordinatedShutdown);
    app.get(Drain).meter.began();

    expect(shutdown.inFlight).toBe(1);
    app.get(Drain).meter.ended();
    expect(shutdown.inFlight).toBe(0);
  });
});

describe('logging', () => {
  afterEach(() => void Logger.overrideLogger(false));

  it("goes to Nest's logger under the name of the drain, or to the logger in the options", async () => {
    const nest = { log: jest.fn(), warn: jest.fn(), error: jest.fn() };
    const logger = new RecordingLogger();
    const apps = [await boot([DrainModule.forRoot()], nest), await boot([DrainModule.forRoot({ logger })], nest)];
    for (const app of apps) await app.get(CoordinatedShutdown).run();

    expect(nest.log.mock.calls.filter(([, name]) => name === 'Drain').map(([text]) => text as string)).toEqual([
      'stopped accepting new work: 0 in flight',
      'all requests have been answered: 0 since startup, 0 refused',
    ]);
    expect(logger.lines).toEqual([
      'log: stopped accepting new work: 0 in flight',
      'log: all requests have been answered: 0 since startup, 0 refused',
    ]);
  });
});

describe('two applications in one process', () => {
  it('drain independently', async () => {
    const [a, b] = [await boot([DrainModule.forRoot()]), await boot([DrainModule.forRoot()])];
    await a.get(CoordinatedShutdown).run();

    expect([a, b].map((app) => app.get(DrainService).isDraining)).toEqual([true, false]);
  });
});
