import {
  Controller,
  Get,
  Inject,
  Injectable,
  type INestApplicationContext,
  Module,
  Optional,
  Scope,
  type Type,
  UseGuards,
} from '@nestjs/common';
import { DiscoveryModule, DiscoveryService, HttpAdapterHost, ModuleRef, ModulesContainer } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { ADAPTERS } from '../support/http-adapters.js';
import { createContext, createHttp, createMicroservice, closingAfterEach } from './apps.js';

const track = closingAfterEach();

@Injectable()
class Plain {}

@Injectable({ scope: Scope.REQUEST })
class PerRequest {}

@Injectable()
class NeedsRequest {
  constructor(readonly perRequest: PerRequest) {}
}

@Injectable({ scope: Scope.TRANSIENT })
class PerUser {}

@Injectable()
class UserA {
  constructor(readonly perUser: PerUser) {}
}

@Injectable()
class UserB {
  constructor(readonly perUser: PerUser) {}
}

class Guard {
  canActivate(): boolean {
    return true;
  }
}

@Controller()
class Guarded {
  @Get()
  @UseGuards(Guard)
  hello(): string {
    return 'hello';
  }
}

describe('Provider wrappers', () => {
  const wrapperOf = (app: INestApplicationContext, token: unknown) =>
    app.get(DiscoveryService).getProviders().find((wrapper) => wrapper.token === token)!; // prettier-ignore

  it('show whether an instance exists without a request', async () => {
    const app = track(
      await createContext({ imports: [DiscoveryModule], providers: [Plain, PerRequest, NeedsRequest] }),
    );
    expect(wrapperOf(app, Plain).isDependencyTreeStatic()).toBe(true);
    expect(wrapperOf(app, Plain).instance).toBe(app.get(Plain));
    expect(wrapperOf(app, PerRequest).isDependencyTreeStatic()).toBe(false);
    expect(wrapperOf(app, NeedsRequest).isDependencyTreeStatic()).toBe(false);
  });

  it('show that a transient provider needs a request', async () => {
    @Injectable({ scope: Scope.TRANSIENT })
    class TransientNeedsRequest {
      constructor(readonly perRequest: PerRequest) {}
    }
    const providers = [PerRequest, TransientNeedsRequest];
    const app = track(await createContext({ imports: [DiscoveryModule], providers }));
    expect(wrapperOf(app, TransientNeedsRequest).isDependencyTreeStatic()).toBe(false);
  });

  it('have one instance of a transient provider per injection', async () => {
    const app = track(await createContext({ imports: [DiscoveryModule], providers: [PerUser, UserA, UserB] }));
    const wrapper = wrapperOf(app, PerUser);
    expect(wrapper.isTransient).toBe(true);
    const instances = wrapper.getStaticTransientInstances().map((host) => host?.instance as unknown);
    expect(instances).toEqual(expect.arrayContaining([app.get(UserA).perUser, app.get(UserB).perUser]));
  });

  it('mark an alias, know their module, and hold the result of a factory or a value', async () => {
    const alias = { provide: 'alias', useExisting: Plain };
    const value = { provide: 'value', useValue: {} };
    const app = track(await createContext({ imports: [DiscoveryModule], providers: [Plain, alias, value] }));
    expect(wrapperOf(app, 'alias').isAlias).toBe(true);
    expect(wrapperOf(app, Plain)).toMatchObject({ isAlias: false, metatype: Plain, isNotMetatype: false });
    expect(wrapperOf(app, Plain).host?.name).toBe('RootModule');
    expect(wrapperOf(app, 'value').isNotMetatype).toBe(true);
  });
});

describe('Modules of an application', () => {
  it('have the guards, pipes, interceptors and filters that Nest creates for decorators', async () => {
    const app = track(await createHttp({ controllers: [Guarded] }));
    await app.init();
    const injectables = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.injectables.values()]);
    expect(injectables.map(({ instance }) => instance)).toContainEqual(expect.any(Guard));
  });

  it('have providers by token, with values available from the start, and a ModuleRef each', async () => {
    let seen: unknown;
    const early = {
      provide: 'early',
      useFactory: (modules: ModulesContainer) => {
        seen = [...modules.values()].map(({ providers }) => providers.get('value')?.instance).find(Boolean);
      },
      inject: [ModulesContainer],
    };
    const value = { made: 'early' };
    const app = track(await createContext({ providers: [early, { provide: 'value', useValue: value }] }));
    expect(seen).toBe(value);
    for (const module of app.get(ModulesContainer).values()) {
      expect(module.providers.get(ModuleRef)?.instance).toHaveProperty('create');
    }
  });

  it('list the modules they import', async () => {
    @Module({})
    class Feature {}
    const app = track(await createContext({ imports: [Feature] }));
    const modules = [...app.get(ModulesContainer).values()];
    const feature = modules.find(({ metatype }) => metatype === Feature)!;
    expect(modules.find(({ name }) => name === 'RootModule')!.imports.has(feature)).toBe(true);
  });
});

/** Returns the names of the module classes in the order of their hook. */
async function hookOrder(): Promise<{ boot: string[]; shutdown: string[]; byDistance: string[] }> {
  const boot: string[] = [];
  const shutdown: string[] = [];
  class Hooked {
    onApplicationBootstrap(): void {
      boot.push(this.constructor.name);
    }
    onApplicationShutdown(): void {
      shutdown.push(this.constructor.name);
    }
  }
  const classOf = (name: string): Type<Hooked> => ({ [name]: class extends Hooked {} })[name]!;
  const Provider = classOf('Provider');
  const leaf = { module: classOf('Leaf') };
  const everywhere = { module: classOf('Global'), global: true };
  const branch = { module: classOf('Branch'), imports: [leaf] };
  const root = { module: classOf('Root'), imports: [branch, everywhere], providers: [Provider] };
  const app = await createContext({ ...root });
  const byDistance = [...app.get(ModulesContainer).values()]
    .filter(({ instance }) => (instance as unknown) instanceof Hooked)
    .toSorted((a, b) => b.distance - a.distance)
    .map(({ name }) => name);
  await app.close();
  return { boot, shutdown, byDistance };
}

describe('Hooks of an application', () => {
  it('end at boot with the root module class, which has the smallest distance', async () => {
    const { boot, byDistance } = await hookOrder();
    expect(boot.at(-1)).toBe('Root');
    expect(byDistance.at(-1)).toBe('Root');
    expect(boot.indexOf('Provider')).toBeLessThan(boot.indexOf('Root'));
  });

  it('end at shutdown with the class of the most distant module, a global one', async () => {
    const { shutdown, byDistance } = await hookOrder();
    expect(shutdown.at(-1)).toBe('Global');
    expect(byDistance[0]).toBe('Global');
  });

  it('are read when Nest calls them, so they can be replaced until then', async () => {
    const calls: string[] = [];
    const hooked = { onModuleDestroy: () => calls.push('original') };
    const app = await createContext({ providers: [{ provide: 'hooked', useValue: hooked }] });
    hooked.onModuleDestroy = () => calls.push('replaced');
    await app.close();
    expect(calls).toEqual(['replaced']);
  });
});

describe('HttpAdapterHost', () => {
  it.each(ADAPTERS)('emits init$ for %s, before the first hook of the providers', async (_, create) => {
    const adapter = create();
    const seen: unknown[] = [];
    const watcher = {
      provide: 'watcher',
      useFactory: (host: HttpAdapterHost) => {
        host.init$.subscribe(() => seen.push(host.httpAdapter));
        return { onModuleInit: () => seen.push('hook') };
      },
      inject: [HttpAdapterHost],
    };
    await track(await createHttp({ providers: [watcher] }, adapter)).init();
    expect(seen).toEqual([adapter, 'hook']);
  });

  it('emits init$ for a testing module when it becomes an application', async () => {
    const module = await Test.createTestingModule({}).compile();
    const host = module.get(HttpAdapterHost);
    let adapter: unknown;
    host.init$.subscribe(() => (adapter = host.httpAdapter));
    const app = track(module.createNestApplication());
    expect(adapter).toBe(app.getHttpAdapter());
  });

  it('has no adapter in a microservice', async () => {
    const app = track(await createMicroservice({}));
    expect(app.get(HttpAdapterHost).httpAdapter).toBeFalsy();
  });
});

describe('ModuleRef.create()', () => {
  @Injectable()
  class Missing {}

  @Injectable()
  class Wanting {
    constructor(
      readonly plain: Plain,
      @Inject('missing') readonly missing: Missing,
    ) {}
  }

  const refOf = (app: INestApplicationContext): ModuleRef => app.get(ModuleRef);

  it('injects into a class that inherits metadata, including optional parameters', async () => {
    const app = track(await createContext({ providers: [Plain] }));
    @Injectable()
    class Needs {
      constructor(
        readonly plain: Plain,
        @Optional() @Inject('missing') readonly missing?: string,
      ) {}
    }
    let parameters: unknown[] = [];
    const standIn = function (...given: unknown[]): void {
      parameters = given;
    };
    Object.setPrototypeOf(standIn, Needs);
    await refOf(app).create(standIn as unknown as Type<object>);
    expect(parameters).toEqual([app.get(Plain), undefined]);
  });

  it('names the missing parameter and its class in the error', async () => {
    const app = track(await createContext({ providers: [Plain] }));
    const error: unknown = await refOf(app).create(Wanting).catch((thrown: unknown) => thrown); // prettier-ignore
    expect(error).toMatchObject({ type: 'Wanting', context: { index: 1, name: 'missing' } });
  });

  it('refuses a request-scoped class with an error of a known class', async () => {
    const app = track(await createContext({ providers: [PerRequest, NeedsRequest] }));
    const error: unknown = await refOf(app).create(NeedsRequest).catch((thrown: unknown) => thrown); // prettier-ignore
    expect(['RequestScopedCreateException', 'InvalidClassScopeException']).toContain(
      (error as object).constructor.name,
    );
    expect(refOf(app).introspect(PerRequest).scope).toBe(Scope.REQUEST);
  });

  it('reads injected types from metadata with fixed names', () => {
    class WithProperty {
      @Inject('property') readonly property: unknown;
    }
    expect(Reflect.getMetadata('design:paramtypes', Wanting)).toEqual([Plain, Missing]);
    expect(Reflect.getMetadata('self:paramtypes', Wanting)).toEqual([{ index: 1, param: 'missing' }]);
    expect(Reflect.getMetadata('self:properties_metadata', WithProperty)).toEqual([
      expect.objectContaining({ key: 'property', type: 'property' }),
    ]);
  });
});
