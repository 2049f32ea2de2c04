import { Controller, forwardRef, Inject, Injectable, Module, Scope } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { SharedNodeInstanceError } from './errors/shared-node-instance.error.js';
import { RequestScopedNodeError } from './errors/request-scoped-node.error.js';
import { NodeNotProvidedError } from './errors/node-not-provided.error.js';
import { DuplicateNodeProviderError } from './errors/duplicate-node-provider.error.js';
import { Dataflow, DataflowNode, type GraphBuilder, OnStart, PhysicalAction, Reaction } from './index.js';
import { Apps, bootError, rootModule, settled } from './nest-app.fixture.js';

const apps = new Apps();
afterEach(() => apps.closeAll());

let seen: string[] = [];
beforeEach(() => (seen = []));

@Injectable()
class Greetings {
  readonly text = 'hello';
}

@DataflowNode()
class Greeter {
  @PhysicalAction() name!: PhysicalAction<string>;
  constructor(private readonly greetings: Greetings) {}

  @Reaction('name')
  greet(): void {
    seen.push(`${this.greetings.text} ${this.name.value}`);
  }
}

const VALUE = new Greeter(new Greetings());

const one = (g: GraphBuilder): void => void g.node(Greeter);
const two = (g: GraphBuilder): void => {
  g.node(Greeter, { name: 'left' });
  g.node(Greeter, { name: 'right' });
};

describe('NodeExplorer', () => {
  it('uses the provider as the only node of its class, so that others can inject it', async () => {
    @Controller()
    class Door {
      constructor(readonly greeter: Greeter) {}
    }
    const app = await apps.http({ graph: one, providers: [Greeter, Greetings], controllers: [Door] });
    await app.init();
    const { greeter } = app.get(Door);
    expect(app.get(Dataflow).node('greeter')).toBe(greeter);
    expect(greeter.name.schedule('ann')).toBe(true);
    await settled();
    expect(seen).toEqual(['hello ann']);
  });

  it('finds nodes in any module, with the providers of that module', async () => {
    @Module({ providers: [Greetings, Greeter] })
    class Feature {}
    const app = await apps.context({ graph: one, imports: [Feature] });
    expect(app.get(Dataflow).node<Greeter>('greeter')!.name.schedule('bob')).toBe(true);
    await settled();
    expect(seen).toEqual(['hello bob']);
  });

  it('creates an instance for each of several nodes of a class, in the module that provides it', async () => {
    @Module({ providers: [Greetings, Greeter], exports: [Greeter] })
    class Feature {}
    const app = await apps.context({ graph: two, imports: [Feature] });
    const [left, right] = ['left', 'right'].map((name) => app.get(Dataflow).node<Greeter>(name)!);
    expect(left).not.toBe(right);
    expect([left, right]).not.toContain(app.get(Greeter));
    expect(app.get(Greeter).name).toBeUndefined();
    left!.name.schedule('l');
    right!.name.schedule('r');
    await settled();
    expect(seen).toEqual(['hello l', 'hello r']);
  });

  it('creates an instance of a transient class, even if no provider injects it', async () => {
    @DataflowNode()
    @Injectable({ scope: Scope.TRANSIENT })
    class Transient {
      constructor(private readonly greetings: Greetings) {}
      @OnStart()
      start(): void {
        seen.push(this.greetings.text);
      }
    }
    const alias = { provide: 'alias', useExisting: Transient };
    await apps.context({ graph: (g) => void g.node(Transient), providers: [Transient, Greetings, alias] });
    await settled();
    expect(seen).toEqual(['hello']);
  });

  it.each([
    ['alias', [Greeter, { provide: 'alias', useExisting: Greeter }]],
    ['factory', [{ provide: 'made', useFactory: () => new Greeter(new Greetings()) }]],
    ['value with two tokens', ['one', 'other'].map((provide) => ({ provide, useValue: VALUE }))],
    ['factory with the class as its token', [{ provide: Greeter, useFactory: () => new Greeter(new Greetings()) }]],
    ['class under another token', [{ provide: 'other', useClass: Greeter }]],
  ])('finds one instance provided as: %s', async (_, providers) => {
    const app = await apps.context({ graph: one, providers: [Greetings, ...providers] });
    app.get(Dataflow).node<Greeter>('greeter')!.name.schedule('ann');
    await settled();
    expect(seen).toEqual(['hello ann']);
  });

  it('ignores values without a class', async () => {
    const strange = { provide: 'strange', useValue: Object.create(null) as object };
    await apps.context({ graph: one, providers: [strange, { provide: 'text', useValue: 'x' }, Greetings, Greeter] });
    expect(seen).toEqual([]);
  });

  it('uses the replacement of a node in a test', async () => {
    const fake = { greet: () => seen.push('fake'), name: undefined as unknown as PhysicalAction<string> };
    const builder = Test.createTestingModule({
      imports: [rootModule({ graph: one, providers: [Greeter, Greetings] })],
    });
    const app = apps.track(await builder.overrideProvider(Greeter).useValue(fake).compile());
    await app.init();
    fake.name.schedule('x');
    await settled();
    expect(seen).toEqual(['fake']);
  });

  it('creates several instances of a replacement class in a test', async () => {
    class Fake {
      name!: PhysicalAction<string>;
      greet(): void {
        seen.push(`fake ${this.name.value}`);
      }
    }
    const builder = Test.createTestingModule({
      imports: [rootModule({ graph: two, providers: [Greeter, Greetings] })],
    });
    const app = apps.track(await builder.overrideProvider(Greeter).useClass(Fake).compile());
    await app.init();
    for (const name of ['left', 'right']) app.get(Dataflow).node<Fake>(name)!.name.schedule(name);
    await settled();
    expect(seen).toEqual(['fake left', 'fake right']);
  });

  it('rejects a node without a provider, with advice', async () => {
    const error = await bootError({ graph: one });
    expect(error).toBeInstanceOf(NodeNotProvidedError);
    expect((error as Error).message).toContain(
      'Node "greeter" of the graph runs in this process, but no module provides its class. Add Greeter to the providers of a module that the application imports.',
    );
  });

  it('rejects a node whose factory returns nothing', async () => {
    const providers = [{ provide: Greeter, useFactory: () => undefined }];
    expect(await bootError({ graph: one, providers })).toBeInstanceOf(NodeNotProvidedError);
  });

  it('rejects a node that two modules provide, and names them', async () => {
    @Module({ providers: [Greetings, Greeter] })
    class First {}
    @Module({ providers: [Greetings, Greeter] })
    class Second {}
    const error = await bootError({ graph: one, imports: [First, Second] });
    expect(error).toBeInstanceOf(DuplicateNodeProviderError);
    expect(error).toMatchObject({ node: 'greeter', className: 'Greeter', modules: ['First', 'Second'] });
  });

  it('rejects a request-scoped node, even if only a dependency is request-scoped', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Session {}
    @DataflowNode()
    class Dependent {
      constructor(readonly session: Session) {}
    }
    @DataflowNode()
    @Injectable({ scope: Scope.REQUEST })
    class Itself {}
    for (const type of [Dependent, Itself]) {
      const error = await bootError({ graph: (g) => void g.node(type), providers: [type, Session] });
      expect(error).toBeInstanceOf(RequestScopedNodeError);
      expect(error).toMatchObject({ className: type.name, node: type.name.toLowerCase() });
    }
  });

  it('ignores node classes that the graph does not use', async () => {
    @DataflowNode()
    @Injectable({ scope: Scope.REQUEST })
    class Unused {}
    const app = await apps.context({ graph: one, providers: [Greeter, Greetings, Unused] });
    expect(app.get(Dataflow).state).toBe('running');
  });

  it.each([
    ['a factory', { provide: Greeter, useFactory: () => new Greeter(new Greetings()) }],
    ['a value', { provide: Greeter, useValue: new Greeter(new Greetings()) }],
    ['a transient factory', { provide: Greeter, useFactory: () => ({}), scope: Scope.TRANSIENT }],
  ])('rejects several nodes that share one instance, from %s', async (_, provider) => {
    const error = await bootError({ graph: two, providers: [provider] });
    expect(error).toBeInstanceOf(SharedNodeInstanceError);
    expect(error).toMatchObject({ nodes: ['left', 'right'], className: 'Greeter' });
  });

  it('accepts two nodes that inject each other', async () => {
    @DataflowNode()
    class Ping {
      constructor(@Inject(forwardRef(() => Pong)) readonly other: object) {}
    }
    @DataflowNode()
    class Pong {
      constructor(@Inject(forwardRef(() => Ping)) readonly other: object) {}
    }
    const graph = (g: GraphBuilder): void => {
      g.node(Ping);
      g.node(Pong);
    };
    const app = await apps.context({ graph, providers: [Ping, Pong] });
    expect(app.get(Dataflow).node<Ping>('ping')!.other).toBe(app.get(Dataflow).node('pong'));
  });
});
