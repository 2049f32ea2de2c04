import { Inject, Injectable, Logger, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { ManualClock } from '@roost/time/testing';
import { PathRecordingLogger } from './core/actor-system.fixture.js';
import {
  Actor,
  type ActorRef,
  ActorSystem,
  ActorSystemModule,
  Behavior,
  getActorSystemToken,
  getActorToken,
  InjectActor,
  InjectActorSystem,
  InvalidActorOptionError,
  Receive,
  UnknownActorClassError,
} from './index.js';
import { Apps } from './nest-app.fixture.js';
import { DuplicateActorSystemError } from './errors/duplicate-actor-system.error.js';
import { UnknownActorSystemError } from './errors/unknown-actor-system.error.js';

const apps = new Apps();
afterEach(() => apps.closeAll());

const quiet = () => ({ logger: new PathRecordingLogger() });

class Ping {}

@Actor()
class PongActor {
  @Receive(Ping)
  ping(): string {
    return 'pong';
  }
}

const ask = (ref: ActorRef): Promise<unknown> => ref.ask<unknown>(() => new Ping());

describe('ActorSystemModule.forRoot', () => {
  it('creates a system that can be injected by class, by decorator and by token', async () => {
    @Injectable()
    class Service {
      @InjectActorSystem() readonly byProperty!: ActorSystem;
      constructor(
        readonly byClass: ActorSystem,
        @InjectActorSystem() readonly byDecorator: ActorSystem,
        @InjectActorSystem('default') readonly byName: ActorSystem,
        @Inject(getActorSystemToken()) readonly byToken: ActorSystem,
      ) {}
    }
    const app = await apps.context({ providers: [Service] });

    const { byClass, ...others } = app.get(Service);

    expect(byClass).toBeInstanceOf(ActorSystem);
    expect(byClass.name).toBe('default');
    expect(Object.values(others).map((system) => system === byClass)).toEqual([true, true, true, true]);
  });

  it('works without options', async () => {
    const app = await apps.context({ actors: false, imports: [ActorSystemModule.forRoot()] });

    expect(app.get(ActorSystem).options).toMatchObject({ shutdownTimeoutMs: 10_000, askTimeoutMs: 5_000 });
  });

  it('passes its options to the system', async () => {
    const clock = new ManualClock();
    const app = await apps.context({ actors: { clock, askTimeoutMs: 7, shutdownTimeoutMs: 8 } });

    expect(app.get(ActorSystem).options).toMatchObject({ clock, askTimeoutMs: 7, shutdownTimeoutMs: 8 });
  });

  it.each<[object, string]>([
    [{ shutdownTimeoutMs: -1 }, 'shutdownTimeoutMs'],
    [{ timeout: 5 }, 'timeout'],
    [{ runShutdownOnTerminate: 'no' }, 'runShutdownOnTerminate'],
    [{ name: ' ' }, 'name'],
  ])('rejects %j at boot, even if an actor is injected', async (options, named) => {
    @Injectable()
    class Service {
      constructor(@InjectActor(PongActor) readonly pong: ActorRef) {}
    }
    const imports = [ActorSystemModule.forFeature([PongActor])];

    for (const metadata of [{}, { imports, providers: [Service] }]) {
      const error = await apps.bootError({ ...metadata, actors: options });
      expect(error).toBeInstanceOf(InvalidActorOptionError);
      expect((error as Error).message).toContain(named);
    }
  });

  it("logs through Nest's logger, with the actor's path as context", async () => {
    const lines: unknown[][] = [];
    const record = (...args: unknown[]) => void lines.push(args);
    const logger = { log: record, warn: record, error: record };
    const app = await apps.context({ actors: false, imports: [ActorSystemModule.forRoot()] }, { logger });
    const ref = app.get(ActorSystem).spawn<string>(
      Behavior.receive((ctx, message) => ctx.log.warn(message)),
      'cart',
    );

    await ref.offer('empty');
    ref.stop();
    await ref.whenTerminated();

    expect(lines).toContainEqual(['empty', '/user/cart']);
    Logger.overrideLogger(false);
  });

  it('hides the system from other modules with isGlobal: false', async () => {
    @Module({})
    class Other {
      constructor(readonly system: ActorSystem) {}
    }
    const root = ActorSystemModule.forRoot({ ...quiet(), isGlobal: false });

    expect(String(await apps.bootError({ actors: false, imports: [root, Other] }))).toContain(
      "can't resolve dependencies",
    );
  });

  it('injects actors even with isGlobal: false', async () => {
    @Module({ imports: [ActorSystemModule.forFeature([PongActor])] })
    class Other {
      constructor(@InjectActor(PongActor) readonly pong: ActorRef) {}
    }
    const root = ActorSystemModule.forRoot({ ...quiet(), isGlobal: false });
    const app = await apps.context({ actors: false, imports: [root, Other] });

    expect(await ask(app.get(Other).pong)).toBe('pong');
  });
});

describe('ActorSystemModule.forRootAsync', () => {
  it('accepts options from a factory, even if an actor is injected', async () => {
    @Injectable()
    class Service {
      constructor(@InjectActor(PongActor) readonly pong: ActorRef) {}
    }
    const root = ActorSystemModule.forRootAsync({
      useFactory: async () => {
        await new Promise(setImmediate);
        return { ...quiet(), askTimeoutMs: 9 };
      },
    });
    const imports = [root, ActorSystemModule.forFeature([PongActor])];
    const app = await apps.context({ actors: false, imports, providers: [Service] });

    expect(app.get(ActorSystem).options.askTimeoutMs).toBe(9);
    expect(await ask(app.get(Service).pong)).toBe('pong');
  });

  it('accepts options from a class', async () => {
    class Config {
      createActorSystemOptions() {
        return { ...quiet(), askTimeoutMs: 11 };
      }
    }
    const app = await apps.context({ actors: false, imports: [ActorSystemModule.forRootAsync({ useClass: Config })] });

    expect(app.get(ActorSystem).options.askTimeoutMs).toBe(11);
  });

  it('accepts the name next to the factory', async () => {
    const root = ActorSystemModule.forRootAsync({ name: 'billing', useFactory: quiet });
    const app = await apps.context({ actors: false, imports: [root] });

    expect(app.get<ActorSystem>(getActorSystemToken('billing')).name).toBe('billing');
    expect(app.get(ActorSystem).name).toBe('billing');
  });

  it("rejects a different name in the factory's result", async () => {
    const useFactory = () => ({ ...quiet(), name: 'billing' });
    const error = await apps.bootError({ actors: false, imports: [ActorSystemModule.forRootAsync({ useFactory })] });

    expect(error).toBeInstanceOf(InvalidActorOptionError);
    expect(String(error)).toContain('next to useFactory');
  });

  it('rejects options that depend on an actor of the system', async () => {
    @Injectable()
    class Config {
      constructor(@InjectActor(PongActor) readonly pong: ActorRef) {}
    }
    @Module({ imports: [ActorSystemModule.forFeature([PongActor])], providers: [Config], exports: [Config] })
    class ConfigModule {}
    const root = ActorSystemModule.forRootAsync({ imports: [ConfigModule], inject: [Config], useFactory: quiet });

    expect(await apps.bootError({ actors: false, imports: [root] })).toMatchObject({
      code: 'ACTORS_SYSTEM_UNAVAILABLE',
      actor: 'PongActor',
      system: 'default',
    });
  });
});

describe('several actor systems', () => {
  const forRoot = (name?: string) => ActorSystemModule.forRoot({ ...quiet(), ...(name && { name }) });

  it('are injected by name', async () => {
    const app = await apps.context({ actors: false, imports: [forRoot('shop'), forRoot('billing')] });

    const names = ['shop', 'billing'].map((name) => app.get<ActorSystem>(getActorSystemToken(name)).name);
    expect(names).toEqual(['shop', 'billing']);
  });

  it.each<[string, (string | undefined)[], string]>([
    ['the only one', ['shop'], 'shop'],
    ['the first', ['shop', 'billing'], 'shop'],
    ['the one without a name', ['shop', undefined, 'billing'], 'default'],
  ])('use %s as the default', async (_, names, expected) => {
    @Injectable()
    class Service {
      constructor(readonly system: ActorSystem) {}
    }
    @Module({ providers: [Service] })
    class Feature {}
    const app = await apps.context({ actors: false, imports: [...names.map(forRoot), Feature] });

    expect(app.get(Service).system.name).toBe(expected);
  });

  it('have separate actors of a class, and a module injects the one it lists', async () => {
    @Module({ imports: [ActorSystemModule.forFeature([PongActor])] })
    class Shop {
      constructor(@InjectActor(PongActor) readonly pong: ActorRef) {}
    }
    @Module({ imports: [ActorSystemModule.forFeature([PongActor], 'billing')] })
    class Billing {
      constructor(
        @InjectActor(PongActor) readonly pong: ActorRef,
        @InjectActor(PongActor, 'billing') readonly named: ActorRef,
      ) {}
    }
    const app = await apps.context({ actors: false, imports: [forRoot(), forRoot('billing'), Shop, Billing] });

    const { pong, named } = app.get(Billing);
    expect(named).toBe(pong);
    expect(pong).not.toBe(app.get(Shop).pong);
    expect(app.get<ActorSystem>(getActorSystemToken('billing')).lookup('/user/pong')).toBe(pong);
    expect(app.get(ActorSystem).lookup('/user/pong')).toBe(app.get(Shop).pong);
  });

  it('spawn only the classes listed for them', async () => {
    const features = [ActorSystemModule.forFeature([PongActor], 'billing')];
    const app = await apps.context({ actors: false, imports: [forRoot(), forRoot('billing'), ...features] });

    const billing = app.get<ActorSystem>(getActorSystemToken('billing'));
    expect(await ask(billing.spawn(PongActor))).toBe('pong');
    expect(() => app.get(ActorSystem).spawn(PongActor)).toThrow(UnknownActorClassError);
  });

  it('must have different names', async () => {
    const error = await apps.bootError({ actors: false, imports: [forRoot('shop'), forRoot('shop')] });

    expect(error).toBeInstanceOf(DuplicateActorSystemError);
    expect(error).toMatchObject({ code: 'ACTORS_DUPLICATE_SYSTEM', system: 'shop' });
  });

  it.each([
    ['shop', [forRoot('billing'), forRoot('mail')], 'only these exist: billing, mail'],
    [undefined, [], 'there is none'],
  ])('make forFeature list the known systems when %s does not exist', async (system, roots, message) => {
    @Module({ imports: [ActorSystemModule.forFeature([PongActor], system)] })
    class Shop {}
    const error = await apps.bootError({ actors: false, imports: [...roots, Shop] });

    expect(error).toBeInstanceOf(UnknownActorSystemError);
    expect(String(error)).toContain(message);
    expect(String(error)).toContain('forFeature([PongActor]) in Shop');
  });
});

describe('two applications with actors in one process', () => {
  it('are independent', async () => {
    const imports = [ActorSystemModule.forFeature([PongActor])];
    const [first, second] = [await apps.context({ imports }), await apps.context({ imports })];
    const refs = await Promise.all([first, second].map((app) => app.resolve<ActorRef>(getActorToken(PongActor))));

    expect(first.get(ActorSystem)).not.toBe(second.get(ActorSystem));
    expect(refs[0]).not.toBe(refs[1]);
    await first.close();

    expect(second.get(ActorSystem).state).toBe('running');
    expect(await ask(refs[1]!)).toBe('pong');
  });
});

describe('a testing module with actors', () => {
  it('can override an actor by its token', async () => {
    @Injectable()
    class Service {
      constructor(@InjectActor(PongActor) readonly pong: ActorRef) {}
    }
    const module = await Test.createTestingModule({
      imports: [ActorSystemModule.forRoot(quiet()), ActorSystemModule.forFeature([PongActor])],
      providers: [Service],
    })
      .overrideProvider(getActorToken(PongActor))
      .useValue('double')
      .compile();
    apps.track(await module.init());

    expect(module.get(Service).pong).toBe('double');
  });

  it('returns actors from resolve()', async () => {
    const module = await Test.createTestingModule({
      imports: [ActorSystemModule.forRoot(quiet()), ActorSystemModule.forFeature([PongActor])],
    }).compile();
    apps.track(await module.init());

    const ref = await module.resolve<ActorRef>(getActorToken(PongActor));
    expect(await module.resolve(getActorToken(PongActor))).toBe(ref);
    expect(await ask(ref)).toBe('pong');
  });
});
