import {
  type CallHandler,
  Controller,
  type DynamicModule,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  type Provider,
  Scope,
  UseInterceptors,
} from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import {
  CoordinatedShutdown,
  DuplicateTaskError,
  InvalidShutdownOptionError,
  InvalidTimeoutError,
  Phase,
  RequestScopedTaskError,
  ShutdownTask,
  UnknownPhaseError,
} from './index.js';
import { Apps } from './nest-app.fixture.js';
import { RecordingLogger } from '@roost/kernel/testing';

const apps = new Apps();
afterEach(() => apps.closeAll());

let calls: string[] = [];
beforeEach(() => (calls = []));

/** The registered tasks as `phase/name`, in phase order. */
const tasksOf = (shutdown: CoordinatedShutdown): string[] =>
  shutdown.describe().flatMap((phase) => phase.tasks.map((task) => `${phase.name}/${task.name}`));

/** Boots an application with these providers and lists its tasks. */
const tasksWith = async (...providers: Provider[]): Promise<string[]> =>
  tasksOf((await apps.context({ providers })).get(CoordinatedShutdown));

/** Like `tasksWith`, but then shuts down, so that `calls` lists the tasks that ran. */
const runWith = async (...providers: Provider[]): Promise<string[]> => {
  const app = await apps.context({ providers });
  const tasks = tasksOf(app.get(CoordinatedShutdown));
  await app.get(CoordinatedShutdown).run();
  return tasks;
};

const failureOf = (...providers: Provider[]): Promise<unknown> =>
  apps.context({ providers }).then(
    () => 'it booted',
    (error: unknown) => error,
  );

@Injectable()
class Journal {
  id = 'journal';
  @ShutdownTask(Phase.ServiceStop)
  flush(): void {
    calls.push(`${this.id} flush`);
  }
}

describe('A shutdown task', () => {
  it('can be a method of a provider or controller, called on the instance with reason and context', async () => {
    const seen: unknown[] = [];
    @Controller()
    class Orders {
      @ShutdownTask(Phase.ServiceUnbind)
      stopTaking(...args: unknown[]): void {
        seen.push(this, ...args);
      }
    }
    const app = await apps.http({ providers: [Journal], controllers: [Orders] });
    await app.init();
    const shutdown = app.get(CoordinatedShutdown);

    expect(tasksOf(shutdown)).toEqual(['service-unbind/Orders.stopTaking', 'service-stop/Journal.flush']);
    await shutdown.run();
    expect(calls).toEqual(['journal flush']);
    expect(seen[0]).toBe(app.get(Orders));
    expect(seen[1]).toBe(shutdown.reason);
    expect(seen[2]).toMatchObject({ phase: 'service-unbind', task: 'Orders.stopTaking' });
  });

  it('can be a method of an interceptor or guard that only a decorator refers to', async () => {
    class Counter implements NestInterceptor {
      intercept(_context: ExecutionContext, next: CallHandler) {
        return next.handle();
      }
      @ShutdownTask(Phase.ServiceRequestsDone)
      drain(): void {}
    }
    @Controller()
    @UseInterceptors(Counter)
    class Orders {}
    const app = await apps.http({ controllers: [Orders] });
    await app.init();

    expect(tasksOf(app.get(CoordinatedShutdown))).toEqual(['service-requests-done/Counter.drain']);
  });

  it('can be a method of a module class', async () => {
    class FeatureModule {
      @ShutdownTask(Phase.ServiceStop)
      close(): void {}
    }
    const app = await apps.context({ imports: [{ module: FeatureModule }] });

    expect(tasksOf(app.get(CoordinatedShutdown))).toEqual(['service-stop/FeatureModule.close']);
  });

  it('has the declared timeout and names its declarer', async () => {
    class Slow {
      @ShutdownTask(Phase.ServiceStop, { name: 'slow', timeoutMs: 70 })
      close(): void {}
    }
    const app = await apps.context({ providers: [Slow] });
    const plan = app.get(CoordinatedShutdown).describe();

    expect(plan.find((phase) => phase.name === 'service-stop')?.tasks).toEqual([
      { name: 'slow', timeoutMs: 70, declaredBy: 'Slow.close()' },
    ]);
  });

  it('is found at every level of inheritance and called on the derived instance', async () => {
    class Base {
      id = 'base';
      @ShutdownTask(Phase.ServiceStop)
      flush(): void {
        calls.push(`${this.id} flush`);
      }
    }
    class Middle extends Base {
      @ShutdownTask(Phase.ServiceStop)
      close(): void {
        calls.push(`${this.id} close`);
      }
    }
    class Leaf extends Middle {
      override id = 'leaf';
    }

    expect(await runWith(Leaf)).toEqual(['service-stop/Leaf.close', 'service-stop/Leaf.flush']);
    expect(calls).toEqual(['leaf close', 'leaf flush']);
  });

  it('is not a method that overrides a task without the decorator', async () => {
    class Quiet extends Journal {
      override flush(): void {
        calls.push('quiet');
      }
    }
    class Leaf extends Quiet {}

    expect(await runWith(Quiet, Leaf)).toEqual([]);
    expect(calls).toEqual([]);
  });

  it('is registered once for a method that overrides a task and has the decorator', async () => {
    class Louder extends Journal {
      @ShutdownTask(Phase.ServiceUnbind)
      override flush(): void {
        super.flush();
        calls.push('louder');
      }
    }

    expect(await runWith(Louder)).toEqual(['service-unbind/Louder.flush']);
    expect(calls).toEqual(['journal flush', 'louder']);
  });

  it('is not a field or accessor that hides a task, and the accessor is not read', async () => {
    class Hidden extends Journal {}
    Object.defineProperty(Hidden.prototype, 'flush', {
      get: () => {
        calls.push('read');
        return () => undefined;
      },
    });

    expect(await runWith(Hidden)).toEqual([]);
    expect(calls).toEqual([]);
  });

  it('can have a symbol as its method name', async () => {
    const close = Symbol('close');
    class Socket {
      @ShutdownTask(Phase.ServiceStop)
      [close](): void {
        calls.push('closed');
      }
    }

    expect(await runWith(Socket)).toEqual(['service-stop/Socket.Symbol(close)']);
    expect(calls).toEqual(['closed']);
  });

  it('can be declared several times in one class', async () => {
    class Both {
      @ShutdownTask(Phase.ServiceStop)
      stop(): void {}
      @ShutdownTask(Phase.ServiceUnbind)
      unbind(): void {}
      @ShutdownTask(Phase.ServiceStop)
      again(): void {}
    }

    expect(await tasksWith(Both)).toEqual([
      'service-unbind/Both.unbind',
      'service-stop/Both.stop',
      'service-stop/Both.again',
    ]);
  });

  it('can be one method in two phases, or twice in one phase under different names', async () => {
    class Cache {
      @ShutdownTask(Phase.ServiceUnbind)
      @ShutdownTask(Phase.ServiceStop)
      @ShutdownTask(Phase.ServiceStop, { name: 'once more' })
      flush(_reason: unknown, { phase, task }: { phase: string; task: string }): void {
        calls.push(`${phase}/${task}`);
      }
    }
    const expected = ['service-unbind/Cache.flush', 'service-stop/Cache.flush', 'service-stop/once more'];

    expect(await runWith(Cache)).toEqual(expected);
    expect(calls).toEqual(expected);
  });
});

describe('Static methods', () => {
  it('run once per provided class, own and inherited, on that class', async () => {
    class Base {
      @ShutdownTask(Phase.ServiceStop)
      static drain(): void {
        calls.push(`${this.name} drained`);
      }
    }
    class A extends Base {
      @ShutdownTask(Phase.ServiceStop)
      static close(): void {
        calls.push(`${this.name} closed`);
      }
    }
    class B extends Base {
      static override drain(): void {}
    }

    const tasks = await runWith(A, { provide: 'again', useClass: A }, B);

    expect(tasks).toEqual(['service-stop/A.close', 'service-stop/A.drain']);
    expect(calls).toEqual(['A closed', 'A drained']);
  });

  it('can share their name with an instance method', async () => {
    class Pool {
      @ShutdownTask(Phase.ServiceStop)
      static close(): void {
        calls.push('static');
      }
      @ShutdownTask(Phase.ServiceStop)
      close(): void {
        calls.push('instance');
      }
    }

    expect(await runWith(Pool)).toEqual(['service-stop/Pool.close', 'service-stop/Pool.close#2']);
    expect(calls).toEqual(['static', 'instance']);
  });

  it('of a request-scoped class can be tasks', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class PerRequest {
      @ShutdownTask(Phase.ServiceStop)
      static close(): void {
        calls.push('static');
      }
    }

    expect(await runWith(PerRequest)).toEqual(['service-stop/PerRequest.close']);
    expect(calls).toEqual(['static']);
  });

  it('can be tasks in a class whose instance is a value or made by a factory', async () => {
    class Pool {
      @ShutdownTask(Phase.ServiceStop)
      static close(): void {
        calls.push('static');
      }
    }
    const tasks = await runWith(
      { provide: 'value', useValue: new Pool() },
      { provide: 'factory', useFactory: () => new Pool() },
    );

    expect(tasks).toEqual(['service-stop/Pool.close']);
    expect(calls).toEqual(['static']);
  });
});

describe('A single instance', () => {
  it('is registered once even if an alias refers to it', async () => {
    expect(await runWith(Journal, { provide: 'alias', useExisting: Journal })).toEqual(['service-stop/Journal.flush']);
    expect(calls).toEqual(['journal flush']);
  });

  it('is registered once even if two tokens hold it', async () => {
    const journal = new Journal();
    const tasks = await runWith(
      { provide: 'a', useValue: journal },
      { provide: 'b', useValue: journal },
      { provide: 'c', useFactory: () => journal },
    );

    expect(tasks).toEqual(['service-stop/Journal.flush']);
    expect(calls).toEqual(['journal flush']);
  });

  it('is found when an asynchronous factory creates it', async () => {
    expect(await tasksWith({ provide: 'journal', useFactory: async () => new Journal() })).toEqual([
      'service-stop/Journal.flush',
    ]);
  });
});

describe('Several instances', () => {
  const users = (count: number, used: new () => Journal): Provider[] =>
    Array.from({ length: count }, (_, n) => ({
      provide: `user ${n}`,
      useFactory: (journal: Journal) => {
        journal.id = `journal ${n}`;
        return {};
      },
      inject: [used],
    }));

  it('of a transient provider have one task each, with unique names', async () => {
    @Injectable({ scope: Scope.TRANSIENT })
    class PerUser extends Journal {}

    expect(await runWith(PerUser, ...users(3, PerUser))).toEqual([
      'service-stop/PerUser.flush',
      'service-stop/PerUser.flush#2',
      'service-stop/PerUser.flush#3',
    ]);
    expect(calls.sort()).toEqual(['journal 0 flush', 'journal 1 flush', 'journal 2 flush']);
  });

  it('of one declaration with a name are numbered', async () => {
    @Injectable({ scope: Scope.TRANSIENT })
    class PerUser extends Journal {
      @ShutdownTask(Phase.ServiceStop, { name: 'flush-journal' })
      override flush(): void {
        super.flush();
      }
    }

    expect(await runWith(PerUser, ...users(2, PerUser))).toEqual([
      'service-stop/flush-journal',
      'service-stop/flush-journal#2',
    ]);
    expect(calls.sort()).toEqual(['journal 0 flush', 'journal 1 flush']);
  });

  it('of an unused transient provider have no task', async () => {
    @Injectable({ scope: Scope.TRANSIENT })
    class Unused extends Journal {}

    expect(await tasksWith(Unused)).toEqual([]);
  });

  it('of a transient provider used only by request-scoped providers have no task', async () => {
    @Injectable({ scope: Scope.TRANSIENT })
    class PerUser extends Journal {}
    const tasks = await tasksWith(PerUser, {
      provide: 'per request',
      useFactory: (journal: Journal) => ({ journal }),
      inject: [PerUser],
      scope: Scope.REQUEST,
    });

    expect(tasks).toEqual([]);
  });

  it('of two classes with the same name in two modules do not clash', async () => {
    const feature = (id: string): DynamicModule => {
      class Journal {
        @ShutdownTask(Phase.ServiceStop)
        flush(): void {
          calls.push(id);
        }
      }
      return { module: class Feature {}, providers: [Journal] };
    };
    const app = await apps.context({ imports: [feature('a'), feature('b')] });
    const shutdown = app.get(CoordinatedShutdown);

    expect(tasksOf(shutdown)).toEqual(['service-stop/Journal.flush', 'service-stop/Journal.flush#2']);
    await shutdown.run();
    expect(calls).toEqual(['a', 'b']);
  });

  it('of one class provided by two modules both run', async () => {
    const imports = [1, 2].map(() => ({ module: class Feature {}, providers: [Journal] }));
    const app = await apps.context({ imports });

    await app.get(CoordinatedShutdown).run();
    expect(calls).toEqual(['journal flush', 'journal flush']);
  });
});

describe('Providers that are not instances of a class', () => {
  const bare: unknown = Object.create(null);
  const moody = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error('do not list me');
      },
      getOwnPropertyDescriptor: () => {
        throw new Error('do not describe me');
      },
    },
  );

  it.each<[string, unknown]>([
    ['null', null],
    ['undefined', undefined],
    ['a number', 5],
    ['a string', 'text'],
    ['a symbol', Symbol('value')],
    ['an object without a prototype', bare],
    ['an object whose prototype has no prototype', Object.create(bare as object)],
    ['a proxy whose keys cannot be listed', moody],
    ['a large typed array', new Float64Array(4_000_000)],
    ['a frozen object', Object.freeze({ flush: () => undefined })],
    ['a class', Journal],
    ['a function', () => undefined],
    ['a map', new Map()],
  ])('are ignored: %s', async (_, value) => {
    const app = await apps.context({
      providers: [
        { provide: 'value', useValue: value },
        { provide: 'factory', useFactory: () => value },
      ],
    });

    expect(tasksOf(app.get(CoordinatedShutdown))).toEqual([]);
    expect((await app.get(CoordinatedShutdown).run()).status).toBe('completed');
  });

  it('have tasks if they are a frozen instance or a proxy of one', async () => {
    const tasks = await runWith(
      { provide: 'frozen', useValue: Object.freeze(new Journal()) },
      { provide: 'proxy', useValue: new Proxy(Object.assign(new Journal(), { id: 'proxied' }), {}) },
    );

    expect(tasks).toEqual(['service-stop/Journal.flush', 'service-stop/Journal.flush#2']);
    expect(calls).toEqual(['journal flush', 'proxied flush']);
  });
});

describe('The boot', () => {
  @Injectable({ scope: Scope.REQUEST })
  class RequestContext {}

  it.each<[string, Provider[]]>([
    ['directly', [scoped({ scope: Scope.REQUEST })]],
    ['even if durable', [scoped({ scope: Scope.REQUEST, durable: true })]],
    ['through a dependency', [RequestContext, scoped({}, [RequestContext])]],
    ['as a transient with such a dependency', [RequestContext, scoped({ scope: Scope.TRANSIENT }, [RequestContext])]],
  ])('fails for a request-scoped provider with tasks: %s', async (_, providers) => {
    const error = await failureOf(...providers);

    expect(error).toBeInstanceOf(RequestScopedTaskError);
    expect(error).toMatchObject({
      code: 'SHUTDOWN_REQUEST_SCOPED_TASK',
      provider: 'PerRequest',
      methods: ['close', 'flush'],
      message: expect.stringContaining('PerRequest has @ShutdownTask on close, flush') as string,
    });
  });

  it('fails for a request-scoped controller with tasks', async () => {
    @Controller({ scope: Scope.REQUEST })
    class Orders {
      @ShutdownTask(Phase.ServiceStop)
      stop(): void {}
    }
    const app = await apps.http({ controllers: [Orders] });

    await expect(app.init()).rejects.toThrow(RequestScopedTaskError);
  });

  it('succeeds for a request-scoped provider without tasks', async () => {
    expect(await tasksWith(RequestContext)).toEqual([]);
  });

  it('fails for an unknown phase and lists the known ones', async () => {
    class Journal {
      @ShutdownTask('service-unbnd')
      flush(): void {}
    }
    const error = (await failureOf(Journal)) as UnknownPhaseError;

    expect(error).toBeInstanceOf(UnknownPhaseError);
    expect(error.knownPhases).toEqual(Object.values(Phase));
    expect(error.message).toContain('Journal.flush()');
    expect(error.message).toContain('"service-unbnd"');
    expect(error.message).toContain('before-service-unbind, service-unbind,');
  });

  it.each([NaN, -1, 0, Infinity, 2 ** 31, '5' as unknown as number])(
    'fails for the timeout %p and names the method',
    async (bad) => {
      class Journal {
        @ShutdownTask(Phase.ServiceStop, { timeoutMs: bad })
        flush(): void {}
      }
      const error = (await failureOf(Journal)) as Error;

      expect(error).toBeInstanceOf(InvalidTimeoutError);
      expect(error.message).toContain('timeoutMs');
      expect(error.message).toContain('Journal.flush()');
    },
  );

  it('fails for an option that does not exist', async () => {
    class Journal {
      @ShutdownTask(Phase.ServiceStop, { timeout: 5 } as object)
      flush(): void {}
    }
    const error = (await failureOf(Journal)) as Error;

    expect(error).toBeInstanceOf(InvalidShutdownOptionError);
    expect(error.message).toContain('Journal.flush');
    expect(error.message).toContain('timeout');
  });

  it('fails for a duplicate name in one phase and names both declarers', async () => {
    class A {
      @ShutdownTask(Phase.ServiceStop, { name: 'flush' })
      flush(): void {}
    }
    class B {
      @ShutdownTask(Phase.ServiceStop, { name: 'flush' })
      empty(): void {}
    }
    const error = await failureOf(A, B);

    expect(error).toBeInstanceOf(DuplicateTaskError);
    expect(error).toMatchObject({ task: 'flush', declaredBy: 'B.empty()', alreadyDeclaredBy: 'A.flush()' });
  });

  it.each([{}, { name: 'twice' }])('fails for the same task declared twice on one method: %j', async (options) => {
    class Journal {
      @ShutdownTask(Phase.ServiceStop, options)
      @ShutdownTask(Phase.ServiceStop, options)
      flush(): void {}
    }
    const error = await failureOf(Journal);

    expect(error).toBeInstanceOf(DuplicateTaskError);
    expect(error).toMatchObject({ declaredBy: 'Journal.flush()', alreadyDeclaredBy: 'Journal.flush()' });
  });

  function scoped(options: object, needs: unknown[] = []): Provider {
    @Injectable(options)
    class PerRequest extends Journal {
      @ShutdownTask(Phase.ServiceStop)
      close(): void {}
    }
    Reflect.defineMetadata('design:paramtypes', needs, PerRequest);
    return PerRequest;
  }
});

describe('Phases declared in code', () => {
  it('can be declared by onModuleInit of any provider', async () => {
    @Injectable()
    class Declares {
      constructor(private readonly shutdown: CoordinatedShutdown) {}
      onModuleInit(): void {
        this.shutdown.addPhase('flush-metrics', { dependsOn: [Phase.ServiceStop] });
      }
    }
    class Uses {
      @ShutdownTask('flush-metrics')
      flush(): void {}
    }

    expect(await tasksWith(Uses, Declares)).toEqual(['flush-metrics/Uses.flush']);
  });

  it('can be declared by the constructor of any provider', async () => {
    @Injectable()
    class Metrics {
      constructor(shutdown: CoordinatedShutdown) {
        shutdown.addPhase('flush-metrics', { dependsOn: [Phase.ServiceStop] });
      }
      @ShutdownTask('flush-metrics')
      flush(): void {
        calls.push('metrics');
      }
    }

    expect(await runWith(Metrics)).toEqual(['flush-metrics/Metrics.flush']);
    expect(calls).toEqual(['metrics']);
  });
});

describe('Lazily loaded modules', () => {
  it('have their tasks run, and tasks of other modules run only once', async () => {
    class Late {
      @ShutdownTask(Phase.ServiceStop)
      flush(): void {
        calls.push('late');
      }
    }
    const app = await apps.context({ providers: [Journal] });
    await app.get(LazyModuleLoader).load(() => ({ module: class Lazy {}, providers: [Late] }));

    const report = await app.get(CoordinatedShutdown).run();

    expect(calls).toEqual(['journal flush', 'late']);
    expect(report.phases.find(({ name }) => name === 'service-stop')?.tasks).toHaveLength(2);
  });

  it('with an invalid task are logged, and the other tasks still run', async () => {
    class Wrong {
      @ShutdownTask('no-such-phase')
      flush(): void {}
      @ShutdownTask(Phase.ServiceStop)
      close(): void {
        calls.push('closed');
      }
    }
    @Injectable({ scope: Scope.REQUEST })
    class PerRequest extends Journal {}
    class Late extends Journal {}
    const logger = new RecordingLogger();
    const app = await apps.context({ shutdown: { logger } });
    await app.get(LazyModuleLoader).load(() => ({ module: class Lazy {}, providers: [Wrong, PerRequest, Late] }));

    const { status } = await app.get(CoordinatedShutdown).run();

    expect(status).toBe('completed');
    expect(calls).toEqual(['closed', 'journal flush']);
    expect(logger.of('error')).toEqual([
      expect.stringContaining('Wrong.flush()'),
      expect.stringContaining('PerRequest has @ShutdownTask'),
    ]);
  });
});
