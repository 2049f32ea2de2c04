import { settle } from './core/actor-system.fixture.js';
import {
  Actor,
  type ActorContext,
  type ActorRef,
  ActorSystem,
  ActorSystemModule,
  type ActorClass,
  Behavior,
  ChildFailed,
  DeathPactError,
  Kill,
  OnSignal,
  PostRestart,
  PostStop,
  PreRestart,
  PreStart,
  Receive,
  ReceiveTimeout,
  Signal,
  Terminated,
} from './index.js';
import { Apps } from './nest-app.fixture.js';

const apps = new Apps();
afterEach(() => apps.closeAll());

let events: string[] = [];
beforeEach(() => (events = []));

/** Starts an application with these actor classes; returns its system and an actor of the first class. */
async function start(...types: [ActorClass, ...ActorClass[]]): Promise<{ system: ActorSystem; ref: ActorRef }> {
  const app = await apps.context({ imports: [ActorSystemModule.forFeature(types)] });
  const system = app.get(ActorSystem);
  return { system, ref: system.spawn(types[0], 'it') };
}

class Animal {
  constructor(readonly name = 'rex') {}
}
class Dog extends Animal {}
class Puppy extends Dog {}
class Fail {}

const ask = <R>(ref: ActorRef, message: unknown): Promise<R> => ref.ask<R>(() => message);

describe('message dispatch of an actor class', () => {
  @Actor()
  class KeeperActor {
    @Receive(Animal)
    animal({ name }: Animal): string {
      return `animal ${name}`;
    }
    @Receive(Dog)
    dog({ name }: Dog): string {
      return `dog ${name}`;
    }
    @Receive(String)
    text(text: string): string {
      return `text ${text}`;
    }
  }

  it('calls a method for its message class and for subclasses without their own handler', async () => {
    const { ref } = await start(KeeperActor);
    class Cat extends Animal {}

    for (const [message, reply] of [
      [new Animal(), 'animal rex'],
      [new Dog(), 'dog rex'],
      [new Puppy(), 'dog rex'],
      [new Puppy('tom'), 'dog tom'],
      [new Cat('tom'), 'animal tom'],
      ['hello', 'text hello'],
      [Object.create(new Dog('made')), 'dog made'],
    ]) {
      expect(await ask(ref, message)).toBe(reply);
    }
  });

  it.each([[new Fail()], [{}], [7], [null], [undefined], [Object.create(null)], [{ constructor: 'x' }]])(
    'turns %p into a dead letter and rejects its ask at once',
    async (message) => {
      const { system, ref } = await start(KeeperActor);

      await expect(ask(ref, message)).rejects.toMatchObject({ code: 'ACTORS_UNDELIVERED', reason: 'unhandled' });

      expect(system.recentDeadLetters()).toMatchObject([{ recipient: '/user/it', reason: 'unhandled' }]);
      expect(await ask(ref, 'still there')).toBe('text still there');
    },
  );

  it('distinguishes many message classes', async () => {
    const classes = Array.from({ length: 20 }, (_, index) => ({ [`M${index}`]: class {} })[`M${index}`]!);
    class ManyActor {
      handle(message: object): string {
        return message.constructor.name;
      }
    }
    const descriptor = Object.getOwnPropertyDescriptor(ManyActor.prototype, 'handle')!;
    for (const type of classes) Receive(type)(ManyActor.prototype, 'handle', descriptor as never);
    Actor()(ManyActor);
    const { ref } = await start(ManyActor);

    for (const type of classes) expect(await ask(ref, new type())).toBe(type.name);
    class Sub extends classes[19]! {}
    expect(await ask(ref, new Sub())).toBe('Sub');
  });

  it('includes inherited handlers; an override hides the method it overrides', async () => {
    class Base {
      @Receive(Animal)
      animal(): string {
        return 'base animal';
      }
      @Receive(Dog)
      dog(): string {
        return 'base dog';
      }
      @Receive(String)
      text(): string {
        return 'base text';
      }
    }
    @Actor()
    class DerivedActor extends Base {
      override dog(): string {
        return 'not a handler';
      }
      @Receive(String)
      override text(): string {
        return `derived ${super.text()}`;
      }
    }
    const { ref } = await start(DerivedActor);

    expect(await ask(ref, new Animal())).toBe('base animal');
    expect(await ask(ref, new Dog())).toBe('base animal');
    expect(await ask(ref, '')).toBe('derived base text');
  });
});

describe('the return value of a handler method', () => {
  class Act {
    constructor(readonly act: (ctx: ActorContext) => unknown) {}
  }
  @Actor()
  class DoActor {
    @Receive(Act)
    act(message: Act, ctx: ActorContext): unknown {
      return message.act(ctx);
    }
  }
  const later = <T>(value: T): Promise<T> => new Promise((resolve) => setImmediate(() => resolve(value)));

  it.each<[string, unknown]>([
    ['a value', 7],
    ['null', null],
    ['false', false],
    ['a function', () => 1],
  ])('is the reply to an ask: %s, sync or async', async (_, value) => {
    const { ref } = await start(DoActor);

    expect(await ask(ref, new Act(() => value))).toBe(value);
    expect(await ask(ref, new Act(() => later(value)))).toBe(value);
  });

  it('is ignored for a tell, with or without a sender', async () => {
    const { system, ref } = await start(DoActor);
    const sender = system.spawn<unknown>(Behavior.receive((_, message) => void events.push(String(message))));

    for (const act of [() => 7, () => later(7)]) {
      ref.tell(new Act(act));
      ref.tell(new Act(act), sender);
    }
    expect(await ask(ref, new Act(() => 'last'))).toBe('last');

    expect(events).toEqual([]);
    expect(system.failures).toBe(0);
  });

  it("replaces the class's handlers when it is a behavior, sync or async", async () => {
    const { system, ref } = await start(DoActor);
    const polite = Behavior.receive<unknown>((ctx) => ctx.reply('how do you do'));
    ref.tell(new Act(() => polite));
    expect(await ask(ref, new Act(() => 'rude'))).toBe('how do you do');

    const other = system.spawn(DoActor);
    other.tell(new Act(() => later(Behavior.stopped())));
    await other.whenTerminated();
    await expect(ask(ref, 1)).resolves.toBe('how do you do');
  });

  it('may be undefined, and the ask is answered by ctx.reply()', async () => {
    const { ref } = await start(DoActor);

    expect(await ask(ref, new Act((ctx) => ctx.reply('by hand')))).toBe('by hand');
  });

  it('fails the actor and the ask when the method throws or rejects', async () => {
    const { system, ref } = await start(DoActor);
    const error = new Error('no');
    const reject = (): unknown => Promise.reject(error);
    const raise = (): unknown => {
      throw error;
    };

    for (const act of [reject, raise]) await expect(ask(ref, new Act(act))).rejects.toBe(error);

    expect(system.restarts).toBe(2);
  });

  it('is awaited before the next message', async () => {
    const { ref } = await start(DoActor);
    const step = (name: string) =>
      new Act(async () => {
        events.push(`${name} begins`);
        await later(undefined);
        events.push(`${name} ends`);
      });

    ref.tell(step('first'));
    ref.tell(step('second'));
    await ask(ref, new Act(() => 'done'));

    expect(events).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
  });
});

describe('signal methods of an actor class', () => {
  it('are called throughout the life of an actor', async () => {
    @Actor()
    class LifeActor {
      @OnSignal(PreStart) pre(): void {
        events.push('PreStart');
      }
      @OnSignal(PreRestart) preRestart({ error }: PreRestart): void {
        events.push(`PreRestart ${String(error)}`);
      }
      @OnSignal(PostRestart) async postRestart(signal: PostRestart, ctx: ActorContext): Promise<string> {
        await settle(1);
        events.push(`PostRestart ${ctx.name}`);
        return 'ignored';
      }
      @OnSignal(PostStop) stop(): number {
        events.push('PostStop');
        return 1;
      }
      @Receive(Fail) fail(): void {
        throw new Error('oops');
      }
    }
    const { system, ref } = await start(LifeActor);

    ref.tell(new Fail());
    ref.stop();
    await ref.whenTerminated();

    expect(events).toEqual(['PreStart', 'PreRestart Error: oops', 'PostRestart it', 'PostStop']);
    expect(system.failures).toBe(1);
  });

  it('fall back to @OnSignal(Signal) for signals without their own method', async () => {
    @Actor()
    class AllActor {
      @OnSignal(PreStart) pre(): void {
        events.push('PreStart itself');
      }
      @OnSignal(Signal) any(signal: Signal): void {
        events.push(signal.constructor.name);
      }
    }
    const { ref } = await start(AllActor);
    ref.tell(Kill);
    await ref.whenTerminated();

    expect(events).toEqual(['PreStart itself', 'PostStop']);
  });

  it('get signals about watched actors and about children spawned by class', async () => {
    @Actor()
    class ChildActor {
      @Receive(Fail) fail(): void {
        throw new Error('oops');
      }
    }
    @Actor()
    class ParentActor {
      private child!: ActorRef;
      @OnSignal(PreStart) begin(_: PreStart, ctx: ActorContext): void {
        this.child = ctx.spawn(ChildActor, 'child');
        ctx.watch(this.child);
      }
      @Receive(Fail) fail(message: Fail): void {
        this.child.tell(message);
        this.child.stop();
      }
      @OnSignal(ChildFailed) childFailed({ child }: ChildFailed): void {
        events.push(`ChildFailed ${child.path}`);
      }
      @OnSignal(Terminated) terminated({ ref }: Terminated): Behavior<unknown> {
        events.push(`Terminated ${ref.path}`);
        return Behavior.stopped();
      }
    }
    const { ref } = await start(ParentActor, ChildActor);

    ref.tell(new Fail());
    await ref.whenTerminated();

    expect(events).toEqual(['ChildFailed /user/it/child', 'Terminated /user/it/child']);
  });

  it('leave an unhandled Terminated unhandled, which fails the watcher', async () => {
    const errors: unknown[] = [];
    class Watch {
      constructor(readonly ref: ActorRef) {}
    }
    @Actor()
    class WatchingActor {
      @OnSignal(ReceiveTimeout) timeout(): void {}
      @Receive(Watch) watch({ ref }: Watch, ctx: ActorContext): void {
        ctx.watch(ref);
      }
    }
    const { system, ref } = await start(WatchingActor);
    system.events$.subscribe((event) => 'error' in event && errors.push(event.error));
    const other = system.spawn(Behavior.receive(() => Behavior.stopped()));

    ref.tell(new Watch(other));
    other.tell('end');
    await other.whenTerminated();
    await settle();

    expect(errors).toEqual([expect.any(DeathPactError)]);
  });
});
