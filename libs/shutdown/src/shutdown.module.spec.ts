import { Injectable, Logger, type LoggerService, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { ManualClock } from '@roost/time/testing';
import {
  ContradictoryOptionsError,
  CoordinatedShutdown,
  CoordinatedShutdownModule,
  type CoordinatedShutdownOptions,
  DEFAULT_SHUTDOWN_OPTIONS,
  DuplicateModuleError,
  InvalidShutdownOptionError,
  InvalidTimeoutError,
  Phase,
  PhaseCycleError,
  ShutdownTask,
  UnknownPhaseError,
} from './index.js';
import { Apps } from './nest-app.fixture.js';
import { RecordingLogger } from '@roost/kernel/testing';

const { jest } = import.meta;
const apps = new Apps();
afterEach(() => apps.closeAll());

type Imports = NonNullable<Parameters<typeof Test.createTestingModule>[0]['imports']>;

/** An application with only these imports. */
const boot = async (imports: Imports, logger: LoggerService | false = false) => {
  const options = { logger, abortOnError: false };
  return apps.track(await NestFactory.createApplicationContext({ module: class Root {}, imports }, options));
};

/** The user's settings that can be read from the booted application. */
const optionsOf = async (...imports: Imports) => (await boot(imports)).get(CoordinatedShutdown).options;

describe('CoordinatedShutdownModule.forRoot', () => {
  it('uses the documented defaults without arguments', async () => {
    const { logger, clock, ...options } = await optionsOf(CoordinatedShutdownModule.forRoot());

    expect(options).toEqual({
      timeoutMs: 30_000,
      defaultPhaseTimeoutMs: 5_000,
      phases: {},
      concurrency: 'sequential',
      signals: ['SIGTERM', 'SIGINT'],
      secondSignal: { SIGINT: 'exit' },
      exit: { process: 'on-signal', onFailure: 1, reasons: {} },
      uncaught: false,
      throwOnFailure: false,
      bootTimeoutMs: 30_000,
      gracePeriodMs: 30_000,
      preStopMs: 0,
      hooksBudgetMs: 1_000,
    });
    expect(clock).toBe(DEFAULT_SHUTDOWN_OPTIONS.clock);
    const { logger: _logger, clock: _clock, ...defaults } = DEFAULT_SHUTDOWN_OPTIONS;
    expect(defaults).toEqual(options);
    expect(typeof logger.log).toBe('function');
  });

  it('accepts options, and declares their phases', async () => {
    const app = await boot([
      CoordinatedShutdownModule.forRoot({
        timeoutMs: 9_000,
        phases: {
          [Phase.ServiceStop]: { timeoutMs: 700 },
          'flush-metrics': { dependsOn: [Phase.ServiceStop], timeoutMs: 300, recover: false },
        },
      }),
    ]);
    const shutdown = app.get(CoordinatedShutdown);

    expect(shutdown.options.timeoutMs).toBe(9_000);
    expect(shutdown.describe()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'service-stop', timeoutMs: 700, recover: true }),
        expect.objectContaining({ name: 'flush-metrics', timeoutMs: 300, recover: false, dependsOn: ['service-stop'] }),
      ]),
    );
  });

  it.each<[string, CoordinatedShutdownOptions, new (...args: never[]) => Error]>([
    ['a timeout that is not a number', { timeoutMs: NaN }, InvalidTimeoutError],
    ['a negative phase timeout', { phases: { 'service-stop': { timeoutMs: -1 } } }, InvalidTimeoutError],
    ['a timeout that no timer supports', { bootTimeoutMs: 2 ** 31 }, InvalidTimeoutError],
    ['a misspelled option', { timeout: 5 } as CoordinatedShutdownOptions, InvalidShutdownOptionError],
    ['a signal that does not exist', { signals: ['SIGTREM' as NodeJS.Signals] }, InvalidShutdownOptionError],
    ['a signal that cannot be caught', { signals: ['SIGKILL'] }, InvalidShutdownOptionError],
    ['an exit code out of range', { exit: { onFailure: 256 } }, InvalidShutdownOptionError],
    ['an unknown phase', { phases: { mine: { dependsOn: ['yours'] } } }, UnknownPhaseError],
    ['a circle', { phases: { a: { dependsOn: ['b'] }, b: { dependsOn: ['a'] } } }, PhaseCycleError],
    ['a contradiction', { uncaught: true, exit: { process: false } }, ContradictoryOptionsError],
  ])('fails the boot for %s', async (_, options, error) => {
    await expect(boot([CoordinatedShutdownModule.forRoot(options)])).rejects.toThrow(error);
    await expect(boot([CoordinatedShutdownModule.forRootAsync({ useFactory: () => options })])).rejects.toThrow(error);
  });

  it('does not modify the defaults', async () => {
    await optionsOf(CoordinatedShutdownModule.forRoot({ secondSignal: { SIGTERM: 'exit' }, exit: { onFailure: 3 } }));

    expect(DEFAULT_SHUTDOWN_OPTIONS.secondSignal).toEqual({ SIGINT: 'exit' });
    expect(DEFAULT_SHUTDOWN_OPTIONS.exit.onFailure).toBe(1);
  });
});

describe('CoordinatedShutdownModule.forRootAsync', () => {
  @Injectable()
  class Config {
    createShutdownOptions(): CoordinatedShutdownOptions {
      return { timeoutMs: 4_000 };
    }
  }
  @Module({ providers: [Config], exports: [Config] })
  class ConfigModule {}

  it('accepts a factory with dependencies', async () => {
    const options = await optionsOf(
      CoordinatedShutdownModule.forRootAsync({
        imports: [ConfigModule],
        inject: [Config],
        useFactory: async (config: Config) => ({ ...config.createShutdownOptions(), defaultPhaseTimeoutMs: 20 }),
      }),
    );

    expect(options).toMatchObject({ timeoutMs: 4_000, defaultPhaseTimeoutMs: 20, gracePeriodMs: 30_000 });
  });

  it('accepts an options class', async () => {
    expect((await optionsOf(CoordinatedShutdownModule.forRootAsync({ useClass: Config }))).timeoutMs).toBe(4_000);
  });

  it('accepts an existing provider', async () => {
    const options = await optionsOf(
      CoordinatedShutdownModule.forRootAsync({ imports: [ConfigModule], useExisting: Config }),
    );

    expect(options.timeoutMs).toBe(4_000);
  });
});

describe('Injection of CoordinatedShutdown', () => {
  @Injectable()
  class Orders {
    constructor(readonly shutdown: CoordinatedShutdown) {}
  }
  const feature = { module: class Feature {}, providers: [Orders] };

  it.each([
    ['forRoot', () => CoordinatedShutdownModule.forRoot()],
    ['forRootAsync', () => CoordinatedShutdownModule.forRootAsync({ useFactory: () => ({}) })],
  ])('works in every module with %s', async (_, create) => {
    const app = await boot([create(), feature]);

    expect(app.get(Orders).shutdown).toBe(app.get(CoordinatedShutdown));
  });

  it('works only where the module is imported, with isGlobal: false', async () => {
    const shutdown = CoordinatedShutdownModule.forRoot({ isGlobal: false, timeoutMs: 6_000 });
    await expect(boot([shutdown, feature])).rejects.toThrow(/can't resolve dependencies of the Orders/);

    const app = await boot([shutdown, { ...feature, imports: [shutdown] }]);
    expect(app.get(Orders).shutdown.options.timeoutMs).toBe(6_000);
  });

  it('runs tasks of every module, even with isGlobal: false', async () => {
    const calls: string[] = [];
    class Journal {
      @ShutdownTask(Phase.ServiceStop)
      flush(): void {
        calls.push('flushed');
      }
    }
    const app = await boot([
      CoordinatedShutdownModule.forRoot({ isGlobal: false }),
      { module: class Feature {}, providers: [Journal] },
    ]);

    await app.close();
    expect(calls).toEqual(['flushed']);
  });
});

describe('Importing CoordinatedShutdownModule', () => {
  it('without forRoot() uses the defaults', async () => {
    expect(await optionsOf(CoordinatedShutdownModule)).toMatchObject({
      timeoutMs: 30_000,
      signals: ['SIGTERM', 'SIGINT'],
    });
  });

  it.each([
    ['two forRoot()', CoordinatedShutdownModule.forRoot(), CoordinatedShutdownModule.forRoot({ timeoutMs: 1_000 })],
    ['forRoot() and the bare class', CoordinatedShutdownModule.forRoot(), CoordinatedShutdownModule],
  ])('twice fails the boot: %s', async (_, first, second) => {
    await expect(boot([first, { module: class Feature {}, imports: [second] }])).rejects.toThrow(DuplicateModuleError);
  });
});

describe('Two applications in one process', () => {
  it('do not share state', async () => {
    const calls: string[] = [];
    const create = (id: string) => {
      class Journal {
        @ShutdownTask(Phase.ServiceStop, { name: 'flush' })
        flush(): void {
          calls.push(id);
        }
      }
      return apps.context({ providers: [Journal] });
    };
    const [a, b] = [await create('a'), await create('b')];

    await a.close();
    expect(calls).toEqual(['a']);
    expect([a, b].map((app) => app.get(CoordinatedShutdown).state)).toEqual(['stopped', 'running']);
    await b.close();
    expect(calls).toEqual(['a', 'b']);
  });
});

describe('A testing module', () => {
  it('runs the phases on close()', async () => {
    const calls: string[] = [];
    class Journal {
      @ShutdownTask(Phase.ServiceStop)
      flush(): void {
        calls.push('flushed');
      }
    }
    const logger = new RecordingLogger();
    const testing = await Test.createTestingModule({
      imports: [CoordinatedShutdownModule.forRoot({ logger })],
      providers: [Journal],
    }).compile();
    await testing.init();

    await testing.close();

    expect(calls).toEqual(['flushed']);
    expect(testing.get(CoordinatedShutdown).state).toBe('stopped');
  });
});

describe('Log lines of the shutdown', () => {
  afterEach(() => void Logger.overrideLogger(false));

  it("go to Nest's logger with the context CoordinatedShutdown", async () => {
    const nest = { log: jest.fn(), warn: jest.fn(), error: jest.fn() };
    const app = await boot([CoordinatedShutdownModule.forRoot()], nest);

    await app.get(CoordinatedShutdown).run();

    expect(nest.log).toHaveBeenCalledWith(expect.stringContaining('shutdown started: unknown'), 'CoordinatedShutdown');
  });

  it('go to the logger in the options instead', async () => {
    const nest = { log: jest.fn(), warn: jest.fn(), error: jest.fn() };
    const logger = new RecordingLogger();
    const app = await boot([CoordinatedShutdownModule.forRoot({ logger })], nest);

    await app.get(CoordinatedShutdown).run();

    expect(logger.of('log')[0]).toContain('shutdown started: unknown');
    expect(nest.log).not.toHaveBeenCalledWith(expect.anything(), 'CoordinatedShutdown');
  });
});

describe('The clock in the options', () => {
  it('determines when tasks time out', async () => {
    class Journal {
      @ShutdownTask(Phase.ServiceStop, { timeoutMs: 70 })
      flush(): Promise<void> {
        return new Promise(() => undefined);
      }
    }
    const clock = new ManualClock();
    const app = await apps.context({ providers: [Journal], shutdown: { clock } });
    const run = app.get(CoordinatedShutdown).run();

    await clock.advanceAsync(70);

    const { status, durationMs } = await run;
    expect({ status, durationMs }).toEqual({ status: 'failed', durationMs: 70 });
  });
});

describe('The budget check', () => {
  class Journal {
    @ShutdownTask(Phase.ServiceStop)
    flush(): void {}
  }
  const warningsWith = async (options: CoordinatedShutdownOptions) => {
    const logger = new RecordingLogger();
    await apps.context({ providers: [Journal], shutdown: { logger, ...options } });
    return logger.of('warn');
  };

  it('logs nothing if the budget fits', async () => {
    expect(await warningsWith({})).toEqual([]);
    expect(await warningsWith({ defaultPhaseTimeoutMs: 29_000 })).toEqual([]);
  });

  it('warns once at boot if phases and hooks exceed the deadline', async () => {
    const warnings = await warningsWith({ defaultPhaseTimeoutMs: 29_500 });

    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/shutdown budget does not fit:[^]*raise timeoutMs[^]*service-stop {2}29\.5 s/);
  });

  it('warns if the deadline exceeds the grace period', async () => {
    const warnings = await warningsWith({ gracePeriodMs: 30_000, preStopMs: 5_000 });

    expect(warnings).toEqual([expect.stringContaining('exceeds the grace period of 30 s')]);
  });

  it('counts tasks that other modules add during boot', async () => {
    @Injectable()
    class Late {
      constructor(private readonly shutdown: CoordinatedShutdown) {}
      onModuleInit(): void {
        this.shutdown.addTask(Phase.ServiceUnbind, 'late', () => undefined, { timeoutMs: 60 });
      }
    }
    const logger = new RecordingLogger();
    await apps.context({ providers: [Journal, Late], shutdown: { logger, timeoutMs: 6_000 } });

    expect(logger.of('warn')).toEqual([expect.stringContaining('phases and hooks may take 6.06 s')]);
  });
});
