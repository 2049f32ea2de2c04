import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { Transport } from '@nestjs/microservices';
import { CoordinatedShutdown, enableCoordinatedShutdown } from '@roost/shutdown';
import { settle } from './core/actor-system.fixture.js';
import {
  Actor,
  type ActorClass,
  ActorInitializationException,
  type ActorRef,
  ActorSystem,
  ActorSystemModule,
  DuplicateActorNameError,
  getActorToken,
  InjectActor,
  InvalidActorNameError,
  OnSignal,
  PostStop,
  Receive,
} from './index.js';
import { Apps } from './nest-app.fixture.js';

const apps = new Apps();
afterEach(() => apps.closeAll());

let events: string[] = [];
beforeEach(() => (events = []));

class Ping {}

@Actor({ spawn: 'bootstrap' })
class EagerActor {
  constructor() {
    events.push('eager');
  }
  @Receive(Ping) ping(): string {
    return 'pong';
  }
  @OnSignal(PostStop) stop(): void {
    events.push('eager stopped');
  }
}

@Actor()
class LazyActor {
  constructor() {
    events.push('lazy');
  }
}

const features = (...types: ActorClass[]) => [ActorSystemModule.forFeature(types)];
const namesAtTop = (system: ActorSystem) => system.describe().children.map(({ name }) => name);

describe('ActorSystemModule at boot', () => {
  it("spawns only actors declared with spawn: 'bootstrap'", async () => {
    const app = await apps.context({ imports: features(EagerActor, LazyActor) });

    expect(events).toEqual(['eager']);
    expect(namesAtTop(app.get(ActorSystem))).toEqual(['eager']);
  });

  it('spawns a bootstrap actor once, even if it is also injected', async () => {
    @Injectable()
    class Service {
      constructor(@InjectActor(EagerActor) readonly eager: ActorRef) {}
    }
    const app = await apps.context({ imports: features(EagerActor), providers: [Service] });

    expect(events).toEqual(['eager']);
    expect(await app.get(Service).eager.ask(() => new Ping())).toBe('pong');
  });

  it('waits until the top-level actors have started', async () => {
    @Injectable()
    class Service {
      constructor(@InjectActor(LazyActor) readonly lazy: ActorRef) {}
    }
    await apps.context({ imports: features(LazyActor), providers: [Service] });

    expect(events).toEqual(['lazy']);
  });

  it('constructs no actor before all onModuleInit hooks have finished, no matter what spawns it', async () => {
    @Injectable()
    class Slow implements OnModuleInit {
      constructor(private readonly system: ActorSystem) {}
      async onModuleInit(): Promise<void> {
        this.system.spawn(LazyActor, 'early');
        await settle();
        events.push('init');
      }
    }
    await apps.context({ imports: features(EagerActor, LazyActor), providers: [Slow] });
    await settle();

    expect(events[0]).toBe('init');
    expect(events.slice(1).sort()).toEqual(['eager', 'lazy']);
  });

  it("fails the boot when an actor's constructor throws", async () => {
    @Actor({ spawn: 'bootstrap' })
    class BadActor {
      constructor() {
        throw new Error('no disk');
      }
    }
    @Injectable()
    class Service {
      constructor(@InjectActor(BadActor) readonly bad: ActorRef) {}
    }
    for (const providers of [[], [Service]]) {
      const error = await apps.bootError({ imports: features(BadActor), providers });
      expect(error).toBeInstanceOf(ActorInitializationException);
      expect(error).toMatchObject({
        path: '/user/bad',
        message: expect.stringContaining('/user/bad could not be started: no disk'),
      });
      expect((error as Error).cause).toMatchObject({ message: 'no disk' });
    }
  });

  it.each(['bootstrap', 'demand'] as const)('fails the boot when two actors have the same name (%s)', async (spawn) => {
    @Actor({ name: 'cart', spawn: 'bootstrap' })
    class CartActor {}
    @Actor({ name: 'cart', spawn })
    class OtherActor {}
    @Injectable()
    class Service {
      constructor(@InjectActor(OtherActor) readonly other: ActorRef) {}
    }
    const providers = spawn === 'demand' ? [Service] : [];

    const error = await apps.bootError({ imports: features(CartActor, OtherActor), providers });

    expect(error).toBeInstanceOf(DuplicateActorNameError);
    expect(String(error)).toContain('/user/cart');
  });

  it("fails the boot when an actor's name is invalid", async () => {
    @Actor({ name: 'a/b', spawn: 'bootstrap' })
    class SlashActor {}

    expect(await apps.bootError({ imports: features(SlashActor) })).toBeInstanceOf(InvalidActorNameError);
  });

  it('boots a microservice once, although Nest calls its hooks twice', async () => {
    const tcp = { transport: Transport.TCP, options: { host: '127.0.0.1', port: 0 } } as const;
    const app = await apps.microservice({ imports: features(EagerActor) }, tcp);

    await app.init();
    await app.listen();

    expect(events).toEqual(['eager']);
  });

  it('starts no actors after another provider failed the boot, and lets the application close', async () => {
    @Module({})
    class Failing {
      onModuleInit(): void {
        throw new Error('no database');
      }
    }
    const app = await apps.http({ imports: [...features(EagerActor), Failing], actors: { shutdownTimeoutMs: 60_000 } });
    const system = app.get(ActorSystem);
    const eager = await app.resolve<ActorRef>(getActorToken(EagerActor));
    eager.tell(new Ping());

    await expect(app.init()).rejects.toThrow('no database');
    await app.close();

    expect(events).toEqual([]);
    expect(system.state).toBe('stopped');
    expect(system.recentDeadLetters()).toMatchObject([{ recipient: '/user/eager', reason: 'stopped' }]);
  });

  it('stops waiting actors at once when the boot fails under a coordinated shutdown', async () => {
    @Module({})
    class Failing {
      onModuleInit(): void {
        throw new Error('no database');
      }
    }
    const app = await apps.http({ imports: [...features(EagerActor), Failing], shutdown: {} });
    const system = app.get(ActorSystem);
    await app.resolve<ActorRef>(getActorToken(EagerActor));
    enableCoordinatedShutdown(app);

    await expect(app.init()).rejects.toThrow('no database');

    expect(await app.get(CoordinatedShutdown).terminated).toMatchObject({ status: 'completed' });
    expect([events, system.state]).toEqual([[], 'stopped']);
  });

  it('does not hang when the system stops during the boot', async () => {
    @Injectable()
    class Impatient implements OnModuleInit {
      constructor(
        private readonly system: ActorSystem,
        @InjectActor(EagerActor) readonly eager: ActorRef,
      ) {}
      onModuleInit(): void {
        void this.system.shutdown();
      }
    }
    const app = await apps.context({ imports: features(EagerActor), providers: [Impatient] });
    await app.get(Impatient).eager.whenTerminated();

    expect(events).toEqual(['eager', 'eager stopped']);
  });
});
