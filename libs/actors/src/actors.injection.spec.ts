import { Controller, forwardRef, Inject, Injectable, Module, type OnModuleInit, Optional, Scope } from '@nestjs/common';
import { LazyModuleLoader, ModuleRef, REQUEST } from '@nestjs/core';
import {
  Actor,
  type ActorContext,
  type ActorRef,
  ActorSystem,
  ActorSystemModule,
  getActorToken,
  InjectActor,
  InjectActorSystem,
  Receive,
  UnknownActorClassError,
} from './index.js';
import { Apps } from './nest-app.fixture.js';
import { ActorDependencyError } from './errors/actor-dependency.error.js';
import { NotAnActorClassError } from './errors/not-an-actor-class.error.js';
import { RequestScopedActorError } from './errors/request-scoped-actor.error.js';

const apps = new Apps();
afterEach(() => apps.closeAll());

class Get {}
class Crash {}

const ask = <R>(ref: ActorRef): Promise<R> => ref.ask<R>(() => new Get());

@Injectable()
class CartRepo {
  name = 'carts';
}

/** An actor that replies with its own instance, for the test to inspect. */
@Actor()
class CartActor {
  constructor(readonly repo: CartRepo) {}
  @Receive(Get)
  get(): this {
    return this;
  }
  @Receive(Crash)
  crash(): void {
    throw new Error('crash');
  }
}

describe('an actor class in Nest', () => {
  it('uses providers of the module that imports forFeature, exported or not', async () => {
    @Module({ imports: [ActorSystemModule.forFeature([CartActor])], providers: [CartRepo] })
    class Shop {}
    const app = await apps.context({ imports: [Shop] });

    const { repo } = await ask<CartActor>(app.get(ActorSystem).spawn(CartActor));

    expect(repo).toBe(app.get(CartRepo));
  });

  it('gets a new instance for every actor and after every restart', async () => {
    const app = await apps.context({ imports: [ActorSystemModule.forFeature([CartActor])], providers: [CartRepo] });
    const system = app.get(ActorSystem);
    const [a, b] = [system.spawn(CartActor, 'a'), system.spawn(CartActor, 'b')];
    const [first, other] = [await ask(a), await ask(b)];

    a.tell(new Crash());
    const second = await ask(a);

    expect(system.restarts).toBe(1);
    expect(new Set([first, other, second]).size).toBe(3);
    expect(await ask(b)).toBe(other);
    expect(second).toBeInstanceOf(CartActor);
  });

  it('gets new transient providers for every instance', async () => {
    let made = 0;
    @Injectable({ scope: Scope.TRANSIENT })
    class Buffer {
      readonly id = ++made;
    }
    @Actor()
    class BufferingActor extends CartActor {
      constructor(
        repo: CartRepo,
        readonly buffer: Buffer,
      ) {
        super(repo);
      }
    }
    const imports = [ActorSystemModule.forFeature([BufferingActor])];
    const app = await apps.context({ imports, providers: [CartRepo, Buffer] });
    const [a, b] = [1, 2].map(() => app.get(ActorSystem).spawn(BufferingActor));
    const first = await ask<BufferingActor>(a!);
    const other = await ask<BufferingActor>(b!);

    a!.tell(new Crash());
    const second = await ask<BufferingActor>(a!);

    expect(new Set([first, other, second].map(({ buffer }) => buffer.id)).size).toBe(3);
    expect(new Set([first, other, second].map(({ repo }) => repo)).size).toBe(1);
  });

  it.each(['parameter', 'token', 'property', 'forward reference', 'factory'] as const)(
    'gets its own transient provider through a %s',
    async (by) => {
      let made = 0;
      @Injectable({ scope: Scope.TRANSIENT })
      class Buffer {
        readonly id = ++made;
      }
      class Reader {
        declare readonly buffer: Buffer;
        @Receive(Get) get(): number {
          return this.buffer.id;
        }
      }
      class ByParameter extends Reader {
        constructor(override readonly buffer: Buffer) {
          super();
        }
      }
      class ByToken extends Reader {
        constructor(@Inject('buffer') override readonly buffer: Buffer) {
          super();
        }
      }
      class ByProperty extends Reader {
        @Inject(Buffer) declare readonly buffer: Buffer;
      }
      class ByForwardReference extends Reader {
        constructor(@Inject(forwardRef(() => Buffer)) override readonly buffer: Buffer) {
          super();
        }
      }
      class ByFactory extends Reader {
        constructor(@Inject('made') override readonly buffer: Buffer) {
          super();
        }
      }
      const type = {
        parameter: ByParameter,
        token: ByToken,
        property: ByProperty,
        'forward reference': ByForwardReference,
        factory: ByFactory,
      }[by];
      if (by === 'parameter') Reflect.defineMetadata('design:paramtypes', [Buffer], type);
      Actor()(type);
      const app = await apps.context({
        imports: [ActorSystemModule.forFeature([type])],
        providers: [
          Buffer,
          { provide: 'buffer', useClass: Buffer, scope: Scope.TRANSIENT },
          { provide: 'made', useFactory: () => new Buffer(), scope: Scope.TRANSIENT },
        ],
      });

      const ids = await Promise.all([1, 2, 3].map(() => ask(app.get(ActorSystem).spawn(type))));

      expect(new Set(ids).size).toBe(3);
    },
  );

  it('supports injected properties, optional parameters, tokens and forward references', async () => {
    @Injectable()
    class Later {}
    @Actor()
    class RichActor {
      @Inject('rate') readonly rate!: number;
      @Inject() readonly repo!: CartRepo;
      constructor(
        @Inject(forwardRef(() => Later)) readonly later: Later,
        readonly moduleRef: ModuleRef,
        @InjectActorSystem() readonly system: ActorSystem,
        @Optional() @Inject('missing') readonly missing?: string,
      ) {}
      @Receive(Get)
      get(): this {
        return this;
      }
    }
    const app = await apps.context({
      imports: [ActorSystemModule.forFeature([RichActor])],
      providers: [CartRepo, Later, { provide: 'rate', useValue: 7 }],
    });

    const actor = await ask<RichActor>(app.get(ActorSystem).spawn(RichActor));

    expect(actor).toMatchObject({ rate: 7, missing: undefined });
    expect(actor.repo).toBe(app.get(CartRepo));
    expect(actor.later).toBe(app.get(Later));
    expect(actor.system).toBe(app.get(ActorSystem));
    expect(actor.moduleRef.get(CartRepo)).toBe(actor.repo);
  });

  it('is created in the importing module that has its dependencies', async () => {
    @Module({})
    class Shop {}
    const feature = ActorSystemModule.forFeature([CartActor]);
    const poor = { module: class Poor {}, imports: [feature] };
    const rich = { module: Shop, imports: [feature], providers: [CartRepo] };
    const app = await apps.context({ imports: [poor, rich] });

    const { repo } = await ask<CartActor>(app.get(ActorSystem).spawn(CartActor));

    expect(repo).toBe(app.get(CartRepo));
  });

  it('can be listed by two modules', async () => {
    const poor = { module: class Poor {}, imports: [ActorSystemModule.forFeature([CartActor])] };
    const rich = {
      module: class Rich {},
      imports: [ActorSystemModule.forFeature([CartActor])],
      providers: [CartRepo],
    };
    const app = await apps.context({ imports: [poor, rich] });

    expect(await ask(app.get(ActorSystem).spawn(CartActor))).toBeInstanceOf(CartActor);
  });

  it('can be listed by a lazily loaded module', async () => {
    @Module({ imports: [ActorSystemModule.forFeature([CartActor])], providers: [CartRepo] })
    class Shop {}
    const app = await apps.context({});
    const system = app.get(ActorSystem);
    expect(() => system.spawn(CartActor)).toThrow(UnknownActorClassError);

    await app.get(LazyModuleLoader).load(() => Shop);

    expect(await ask(system.spawn(CartActor))).toBeInstanceOf(CartActor);
  });

  it('can be spawned as a child', async () => {
    @Actor()
    class ParentActor {
      @Receive(Get)
      get(_: Get, ctx: ActorContext): ActorRef {
        return ctx.spawn(CartActor, 'child');
      }
    }
    const app = await apps.context({
      imports: [ActorSystemModule.forFeature([CartActor, ParentActor])],
      providers: [CartRepo],
    });

    const child = await ask<ActorRef>(app.get(ActorSystem).spawn(ParentActor, 'parent'));
    expect(child.path).toBe('/user/parent/child');
    expect(await ask(child)).toBeInstanceOf(CartActor);
  });

  it('is rejected by spawn() when no module lists it', async () => {
    const app = await apps.context({});

    expect(() => app.get(ActorSystem).spawn(CartActor)).toThrow(
      /CartActor is not registered as an actor\. List it in ActorSystemModule\.forFeature\(\[CartActor\]\)/,
    );
  });
});

describe('forFeature', () => {
  it('rejects a class without @Actor(), even a subclass of a decorated class', () => {
    class Plain {}
    class Special extends CartActor {}

    for (const type of [Plain, Special]) {
      expect(() => ActorSystemModule.forFeature([type])).toThrow(NotAnActorClassError);
      expect(() => ActorSystemModule.forFeature([type])).toThrow(type.name);
    }
    expect(() => ActorSystemModule.forFeature([undefined as never])).toThrow(NotAnActorClassError);
  });

  it('checks all dependencies at boot without creating an instance', async () => {
    let made = 0;
    @Actor()
    class HeavyActor {
      constructor(readonly repo: CartRepo) {
        made++;
      }
    }
    await apps.context({ imports: [ActorSystemModule.forFeature([HeavyActor])], providers: [CartRepo] });
    expect(made).toBe(0);

    @Module({ imports: [ActorSystemModule.forFeature([HeavyActor])] })
    class Shop {}
    const error = await apps.bootError({ imports: [Shop] });

    expect(made).toBe(0);
    expect(error).toBeInstanceOf(ActorDependencyError);
    expect(error).toMatchObject({
      code: 'ACTORS_DEPENDENCY',
      actor: 'HeavyActor',
      dependency: 'parameter 0 (CartRepo)',
      modules: ['Shop'],
    });
    expect((error as Error).message).toContain(
      'Cannot create the actor HeavyActor: parameter 0 (CartRepo) is not available in Shop. Provide it there, or import ' +
        'the module that exports it.',
    );
    expect(String((error as Error).cause)).toContain("Nest can't resolve dependencies of the HeavyActor");
  });

  it('names a property that cannot be injected', async () => {
    @Actor()
    class HeavyActor {
      @Inject('rate') readonly rate!: number;
    }
    @Module({ imports: [ActorSystemModule.forFeature([HeavyActor])] })
    class Shop {}

    expect(await apps.bootError({ imports: [Shop] })).toMatchObject({ dependency: 'property "rate" ("rate")' });
  });

  it('passes on the error of a transient dependency', async () => {
    @Injectable({ scope: Scope.TRANSIENT })
    class Moody {
      constructor() {
        throw new Error('not today');
      }
    }
    @Actor()
    class MoodyActor {
      constructor(readonly moody: Moody) {}
    }
    const imports = [ActorSystemModule.forFeature([MoodyActor])];

    expect(await apps.bootError({ imports, providers: [Moody] })).toMatchObject({ message: 'not today' });
  });

  it('rejects a direct or indirect request-scoped dependency', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class PerRequest {
      constructor(@Inject(REQUEST) readonly request: unknown) {}
    }
    @Injectable()
    class Between {
      constructor(readonly perRequest: PerRequest) {}
    }
    @Actor()
    class DirectActor {
      constructor(
        readonly repo: CartRepo,
        readonly perRequest: PerRequest,
      ) {}
    }
    @Actor()
    class IndirectActor {
      constructor(readonly between: Between) {}
    }
    for (const [type, dependency] of [
      [DirectActor, 'PerRequest'],
      [IndirectActor, 'Between'],
    ] as const) {
      const imports = [ActorSystemModule.forFeature([type])];
      const error = await apps.bootError({ imports, providers: [CartRepo, PerRequest, Between] });
      expect(error).toBeInstanceOf(RequestScopedActorError);
      expect(error).toMatchObject({ actor: type.name, dependencies: [dependency] });
    }
  });
});

describe('@InjectActor', () => {
  @Actor({ name: 'the-cart' })
  class NamedActor extends CartActor {}

  const feature = () => ActorSystemModule.forFeature([NamedActor]);

  it('injects the same top-level actor everywhere, under its name', async () => {
    @Injectable()
    class Service {
      @InjectActor(NamedActor) readonly byProperty!: ActorRef;
      constructor(@InjectActor(NamedActor) readonly cart: ActorRef) {}
    }
    @Controller()
    class Page {
      constructor(@InjectActor(NamedActor) readonly cart: ActorRef) {}
    }
    const factory = { provide: 'factory', useFactory: (ref: ActorRef) => ref, inject: [getActorToken(NamedActor)] };
    const app = await apps.http({
      imports: [feature()],
      controllers: [Page],
      providers: [CartRepo, Service, factory],
    });
    await app.init();

    const { cart, byProperty } = app.get(Service);
    expect(cart.path).toBe('/user/the-cart');
    for (const other of [byProperty, app.get(Page).cart, app.get<ActorRef>('factory')]) expect(other).toBe(cart);
    expect(await ask(cart)).toBeInstanceOf(NamedActor);
  });

  it('accepts messages in a constructor, and starts the actor after all onModuleInit hooks', async () => {
    const events: string[] = [];
    @Injectable()
    class SlowRepo implements OnModuleInit {
      state = 'new';
      async onModuleInit(): Promise<void> {
        await new Promise((resolve) => setImmediate(resolve));
        this.state = 'ready';
        events.push('repo ready');
      }
    }
    @Actor()
    class EarlyActor {
      constructor(private readonly repo: SlowRepo) {
        events.push('actor constructed');
      }
      @Receive(Get)
      get(): void {
        events.push(`message handled, repo ${this.repo.state}`);
      }
    }
    @Injectable()
    class Service {
      constructor(@InjectActor(EarlyActor) early: ActorRef) {
        events.push('service constructed');
        early.tell(new Get());
      }
    }
    const app = await apps.context({
      imports: [ActorSystemModule.forFeature([EarlyActor])],
      providers: [SlowRepo, Service],
    });
    await app.get(ActorSystem).shutdown();

    expect(events).toEqual(['service constructed', 'repo ready', 'actor constructed', 'message handled, repo ready']);
  });

  it('can be asked in onApplicationBootstrap', async () => {
    @Injectable()
    class Service {
      answer: unknown;
      constructor(@InjectActor(NamedActor) readonly cart: ActorRef) {}
      async onApplicationBootstrap(): Promise<void> {
        this.answer = await ask(this.cart);
      }
    }
    const app = await apps.context({ imports: [feature()], providers: [CartRepo, Service] });

    expect(app.get(Service).answer).toBeInstanceOf(NamedActor);
  });

  it('works in actors', async () => {
    class Other {}
    @Actor()
    class RightActor {
      @Receive(Other)
      other(): void {}
    }
    @Actor()
    class LeftActor {
      @InjectActor(RightActor) readonly right!: ActorRef;
      @Receive(Get)
      get(): ActorRef {
        return this.right;
      }
    }
    const app = await apps.context({ imports: [ActorSystemModule.forFeature([LeftActor, RightActor])] });

    const right = await ask<ActorRef>(app.get(ActorSystem).spawn(LeftActor));

    expect(right.path).toBe('/user/right');
  });

  it('works for request-scoped providers and for instances from ModuleRef.create()', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class PerRequest {
      constructor(@InjectActor(NamedActor) readonly cart: ActorRef) {}
    }
    class AdHoc {
      constructor(@InjectActor(NamedActor) readonly cart: ActorRef) {}
    }
    @Injectable()
    class Root {
      constructor(readonly moduleRef: ModuleRef) {}
    }
    const app = await apps.context({ imports: [feature()], providers: [CartRepo, PerRequest, Root] });

    const { cart } = await app.resolve(PerRequest);
    expect((await app.resolve(PerRequest)).cart).toBe(cart);
    expect((await app.get(Root).moduleRef.create(AdHoc)).cart).toBe(cart);
    expect(await ask(cart)).toBeInstanceOf(NamedActor);
  });

  describe('@InjectActor of a class that no forFeature lists', () => {
    @Injectable()
    class User {
      constructor(@InjectActor(NamedActor) readonly cart: ActorRef) {}
    }
    @Controller()
    class Page {
      @InjectActor(NamedActor, 'billing') readonly cart!: ActorRef;
    }
    @Actor()
    class UserActor {
      constructor(@InjectActor(NamedActor) readonly cart: ActorRef) {}
    }

    it.each([
      ['provider', { providers: [User] }, 'actor NamedActor, listed in ActorSystemModule.forFeature([NamedActor])'],
      ['controller', { controllers: [Page] }, '"cart" property'],
      [
        'actor',
        { imports: [ActorSystemModule.forFeature([UserActor])] },
        'parameter 0 (Symbol(actor NamedActor, listed in ActorSystemModule.forFeature([NamedActor])))',
      ],
    ])('fails the boot with a clear error, for a %s', async (_, metadata, text) => {
      expect(String(await apps.bootError(metadata))).toContain(text);
    });

    it('fails the boot even if a module that is not imported lists the class', async () => {
      const other = { module: class Other {}, imports: [feature()], providers: [CartRepo] };

      expect(String(await apps.bootError({ imports: [other], providers: [User] }))).toContain(
        'actor NamedActor, listed in ActorSystemModule.forFeature([NamedActor])',
      );
    });
  });

  it('rejects a value that is not a class', () => {
    expect(() => InjectActor(undefined as never)).toThrow(NotAnActorClassError);
    expect(() => getActorToken(undefined as never)).toThrow('needs a class with @Actor(), but got undefined');
  });
});
