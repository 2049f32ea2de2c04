import {
  type ClassProvider,
  Inject,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Server } from '@nestjs/microservices';
import { Test } from '@nestjs/testing';
import { deferred } from '@roost/kernel';
import { RecordingLogger } from '@roost/kernel/testing';
import { CoordinatedShutdown, CoordinatedShutdownModule, enableCoordinatedShutdown, Phase } from '@roost/shutdown';
import { ManualClock } from '@roost/time/testing';
import {
  BackgroundProcess,
  type ProcessHandler,
  type RunToken,
  Workers,
  WorkersModule,
  WorkersShutdownMissingError,
} from './index.js';
import { ADAPTERS, Apps, rootModule } from './nest-app.fixture.js';

const apps = new Apps();
afterEach(() => apps.closeAll());

/** Actions of the providers of a test, in order. */
let trace: string[] = [];
beforeEach(() => (trace = []));

@Injectable()
class Queue implements OnModuleDestroy {
  isOpen = true;
  onModuleDestroy(): void {
    this.isOpen = false;
    trace.push('queue closed');
  }
}

@BackgroundProcess()
class OrderConsumerProcess implements ProcessHandler {
  constructor(private readonly queue: Queue) {}

  async handle(run: RunToken): Promise<void> {
    trace.push(`${run.name} began`);
    await run.sleep(Infinity);
    trace.push(`ended with the queue ${this.queue.isOpen ? 'open' : 'closed'}`);
  }
}

const consumer = { providers: [Queue, OrderConsumerProcess] };
const LIFE = ['order-consumer began', 'ended with the queue open', 'queue closed'];

describe('WorkersModule', () => {
  it.each(ADAPTERS)(
    'starts processes at boot and stops them before Nest closes anything, on %s',
    async (_, adapter) => {
      const app = await apps.http(consumer, adapter());
      expect(trace).toEqual([]);
      await app.listen(0, '127.0.0.1');
      expect(trace).toEqual(LIFE.slice(0, 1));

      await app.close();
      expect(trace).toEqual(LIFE);
    },
  );

  it('does the same in an application context under enableCoordinatedShutdown', async () => {
    const app = await apps.context(consumer);
    enableCoordinatedShutdown(app);
    expect(trace).toEqual(LIFE.slice(0, 1));

    await app.close();
    expect(trace).toEqual(LIFE);
  });

  it('does the same once in a microservice, although its boot hooks are called twice', async () => {
    class Silent extends Server {
      listen = (callback: () => void) => callback();
      close = () => undefined;
      on = () => undefined;
      unwrap = () => undefined as never;
    }
    const app = await apps.microservice(consumer, { strategy: new Silent() });
    enableCoordinatedShutdown(app);
    await app.init();
    await app.listen();
    expect(trace).toEqual(LIFE.slice(0, 1));

    await app.close();
    expect(trace).toEqual(LIFE);
  });

  it('starts processes after the last onApplicationBootstrap, including that of the root module', async () => {
    const late = deferred();
    const reached = deferred();
    @Module({
      imports: [
        CoordinatedShutdownModule.forRoot({ logger: new RecordingLogger(), signals: [] }),
        WorkersModule.forRoot({ logger: new RecordingLogger() }),
      ],
      ...consumer,
    })
    class Root implements OnApplicationBootstrap {
      async onApplicationBootstrap(): Promise<void> {
        reached.resolve();
        await late.promise;
        trace.push('root booted');
      }
    }
    const app = apps.track(await NestFactory.create(Root, { logger: false, abortOnError: false }));
    const init = app.init();
    await reached.promise;
    expect(trace).toEqual([]);

    late.resolve();
    await init;
    expect(trace).toEqual(['root booted', 'order-consumer began']);
  });

  it('starts nothing when the boot fails', async () => {
    class Failing implements OnApplicationBootstrap {
      onApplicationBootstrap(): void {
        throw new Error('no database');
      }
    }
    const error = await apps.bootError({ providers: [...consumer.providers, Failing] });

    expect(error).toEqual(new Error('no database'));
    expect(trace).toEqual([]);
  });

  it('starts nothing when a shutdown began first', async () => {
    class Impatient implements OnApplicationBootstrap {
      constructor(private readonly shutdown: CoordinatedShutdown) {}
      async onApplicationBootstrap(): Promise<void> {
        await this.shutdown.run();
      }
    }
    const impatient = {
      provide: Impatient,
      useFactory: (shutdown: CoordinatedShutdown) => new Impatient(shutdown),
      inject: [CoordinatedShutdown],
    };
    const app = await apps.context({ providers: [...consumer.providers, impatient] });

    expect(trace).toEqual([]);
    expect(app.get(Workers).describe()).toMatchObject([{ name: 'order-consumer', state: 'stopped' }]);
  });

  it('starts nothing when a shutdown has begun but not reached the processes yet', async () => {
    const lameDuck = deferred();
    const impatient = {
      provide: 'impatient',
      useFactory: (shutdown: CoordinatedShutdown) => ({
        onApplicationBootstrap: () => {
          shutdown.addTask(Phase.BeforeServiceUnbind, 'lame duck', () => lameDuck.promise);
          void shutdown.run();
        },
      }),
      inject: [CoordinatedShutdown],
    };
    const app = await apps.context({ providers: [...consumer.providers, impatient] });
    expect(app.get(CoordinatedShutdown).booted).toBe(true);
    expect(app.get(Workers).state).toBe('ready');
    expect(trace).toEqual([]);
    lameDuck.resolve();
  });

  it('accepts options from a factory', async () => {
    const options = { provide: 'options', useValue: { maxWaitMs: 123 } };
    @Module({ providers: [options], exports: ['options'] })
    class Config {}
    const app = await apps.context({
      workers: false,
      imports: [
        WorkersModule.forRootAsync({
          imports: [Config],
          useFactory: (given: object) => given,
          inject: ['options'],
        }),
      ],
    });
    expect(app.get(Workers).options.maxWaitMs).toBe(123);
  });

  it('accepts options from a class', async () => {
    class Config {
      createWorkersOptions() {
        return { maxWaitMs: 321 };
      }
    }
    const app = await apps.context({ workers: false, imports: [WorkersModule.forRootAsync({ useClass: Config })] });
    expect(app.get(Workers).options.maxWaitMs).toBe(321);
  });

  it.each([
    ['imported by its name', WorkersModule],
    ['without options', WorkersModule.forRoot()],
  ])("works %s, with Nest's logger", async (_, module) => {
    const app = await apps.context({ workers: false, imports: [module] });
    await expect(app.get(Workers).runGracefully(() => 7)).resolves.toBe(7);
    expect(app.get(Workers).options.maxWaitMs).toBe(30_000);
  });

  it('fails the boot with invalid options', async () => {
    const error = await apps.bootError({ workers: { maxWaitMs: -1 } });
    expect(error).toMatchObject({ code: 'WORKERS_INVALID_OPTION' });
  });

  it('fails the boot without a coordinated shutdown', async () => {
    expect(await apps.bootError({ shutdown: false })).toBeInstanceOf(WorkersShutdownMissingError);
  });

  it('lets Workers be injected everywhere', async () => {
    @Injectable()
    class Mailer {
      constructor(@Inject(Workers) private readonly workers: Workers) {}
      send = () => this.workers.runGracefully(() => 'sent');
    }
    @Module({ providers: [Mailer] })
    class Mail {}
    const app = await apps.context({ imports: [Mail] });
    await expect(app.get(Mailer, { strict: false }).send()).resolves.toBe('sent');
  });

  it('keeps two applications in one process apart', async () => {
    const [first, second] = [await apps.context(consumer), await apps.context(consumer)];
    await first.close();
    expect(first.get(Workers).state).toBe('stopped');
    expect(second.get(Workers).describe()).toMatchObject([{ state: 'running' }]);
  });
});

describe("WorkersModule in users' tests", () => {
  const metadata = rootModule(consumer);

  it('runs in an initialized testing module', async () => {
    const app = apps.track(await Test.createTestingModule({ imports: [metadata] }).compile());
    expect(trace).toEqual([]);
    await app.init();
    expect(trace).toEqual(LIFE.slice(0, 1));
  });

  it.each<[string, object]>([
    ['value', { useValue: { handle: () => trace.push('fake') } }],
    [
      'class',
      {
        useClass: class Fake {
          handle = () => trace.push('fake');
        },
      },
    ],
  ])(
    'does not run a process that is overridden by a %s that is not a process',
    async (_, { useValue, useClass }: Partial<Overrides>) => {
      const builder = Test.createTestingModule({ imports: [metadata] }).overrideProvider(OrderConsumerProcess);
      const app = apps.track(await (useClass ? builder.useClass(useClass) : builder.useValue(useValue)).compile());
      await app.init();
      expect(trace).toEqual([]);
      expect(app.get(Workers).describe()).toEqual([]);
    },
  );

  it('runs the result of an override if it is a process', async () => {
    @BackgroundProcess({ name: 'fake' })
    class Fake {
      handle = (run: RunToken) => void trace.push(`${run.name} ran`);
    }
    const app = apps.track(
      await Test.createTestingModule({ imports: [metadata] })
        .overrideProvider(OrderConsumerProcess)
        .useFactory({ factory: () => new Fake() })
        .compile(),
    );
    await app.init();
    expect(trace).toEqual(['fake ran']);
  });

  it('lets a test replace its engine and its clock', async () => {
    const clock = new ManualClock();
    const workers = new Workers({ clock, logger: new RecordingLogger() });
    const app = apps.track(
      await Test.createTestingModule({ imports: [metadata] })
        .overrideProvider(Workers)
        .useValue(workers)
        .compile(),
    );
    await app.init();
    expect(workers.describe()).toMatchObject([{ name: 'order-consumer', state: 'running' }]);
    expect(clock.pendingTimers).toBe(1);
  });
});

interface Overrides {
  useValue: unknown;
  useClass: ClassProvider['useClass'];
}
