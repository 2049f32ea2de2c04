import { deferred } from '@roost/kernel';
import { recorder, settle, testSystem } from '../actor-system.fixture.js';
import type { ActorContext } from '../actor-context.js';
import { Behavior, type BehaviorResult } from '../behavior.js';
import { ActorSystemStoppingError } from '../errors/actor-system-stopping.error.js';
import { DuplicateActorNameError } from '../errors/duplicate-actor-name.error.js';
import { InvalidActorNameError } from '../errors/invalid-actor-name.error.js';
import { InvalidBehaviorError } from '../errors/invalid-behavior.error.js';
import { NotAChildError } from '../errors/not-a-child.error.js';
import { UnknownActorClassError } from '../errors/unknown-actor-class.error.js';
import { Props } from '../props.js';
import { PostStop } from '../signals.js';

type Message = (ctx: ActorContext<Message>) => BehaviorResult<Message>;
const obedient = Behavior.receive<Message>((ctx, message) => message(ctx));

describe('spawn()', () => {
  it('creates an actor that starts after it returns, and that accepts messages at once', async () => {
    const { system } = testSystem();
    const log: string[] = [];
    const ref = system.spawn(
      Behavior.setup<string>(() => {
        log.push('setup');
        return recorder(log);
      }),
    );
    ref.tell('first');
    log.push('spawned');
    await settle();

    expect(log).toEqual(['spawned', 'setup', 'first']);
  });

  it('assigns names and paths', async () => {
    const { system } = testSystem();
    const ref = system.spawn(obedient, 'shop');
    const child = await ref.ask<{ path: string; name: string }>(() => (ctx) => {
      const { path, name } = ctx.spawn(recorder(), 'cart-42');
      expect(ctx.parent).toBeUndefined();
      ctx.reply({ path, name });
    });

    expect([ref.path, ref.name, child]).toEqual([
      '/user/shop',
      'shop',
      { path: '/user/shop/cart-42', name: 'cart-42' },
    ]);
  });

  it('generates unique names', () => {
    const { system } = testSystem();
    const names = Array.from({ length: 100 }, () => system.spawn(recorder()).name);

    expect(new Set(names).size).toBe(100);
    for (const name of names) expect(name).toMatch(/^\$\d+$/);
    expect(system.lookup(`/user/${names[7]}`)?.name).toBe(names[7]);
  });

  it.each(['a', 'Größe-1', 'a.b:c@d', '1', 'x'.repeat(255), '购物车', 'a$1'])('accepts the name %p', (name) => {
    const { system } = testSystem();
    const ref = system.spawn(recorder(), name);

    expect(system.lookup(`/user/${name}`)).toBe(ref);
  });

  it.each(['', '/', 'a/b', '$1', '$', 'a b', 'a\tb', 'a\n', '?ask', 'a#1', '\u0000', 'x'.repeat(256), 5, null, {}])(
    'rejects the name %p',
    (name) => {
      const { system } = testSystem();

      expect(() => system.spawn(recorder(), name as string)).toThrow(InvalidActorNameError);
      expect(system.describe().children).toEqual([]);
    },
  );

  it('rejects a name in use, and leaves the existing actor alone', async () => {
    const { system } = testSystem();
    const got: unknown[] = [];
    const ref = system.spawn(recorder(got), 'one');

    expect(() => system.spawn(recorder(), 'one')).toThrow(DuplicateActorNameError);
    expect(() => system.spawn(recorder(), 'one')).toThrow('/user/one already exists.');
    ref.tell('still here');
    await settle();
    expect(got).toEqual(['still here']);
  });

  it('requires unique names among siblings, but not among cousins', async () => {
    const { system } = testSystem();
    for (const name of ['a', 'b']) system.spawn(obedient, name).tell((ctx) => void ctx.spawn(recorder(), 'same'));
    await settle();

    expect(system.lookup('/user/a/same')).not.toBe(system.lookup('/user/b/same'));
  });

  it('rejects the name of a stopping actor, and accepts it once that has stopped', async () => {
    const { system, deadLetters } = testSystem();
    const ending = deferred();
    const first = system.spawn(
      Behavior.receive(() => undefined).onSignal((_ctx, signal) => {
        if (signal instanceof PostStop) return ending.promise;
      }),
      'one',
    );
    first.stop();
    await settle();
    expect(() => system.spawn(recorder(), 'one')).toThrow('/user/one is still stopping.');
    ending.resolve();
    await first.whenTerminated();
    const got: unknown[] = [];
    const second = system.spawn(recorder(got), 'one');
    first.tell('to the first');
    second.tell('to the second');
    await settle();

    expect(first).not.toBe(second);
    expect(got).toEqual(['to the second']);
    expect(deadLetters).toMatchObject([{ message: 'to the first' }]);
    expect(system.lookup('/user/one')).toBe(second);
  });

  it('rejects an unknown class by its name', () => {
    const { system } = testSystem();
    class CartActor {}

    expect(() => system.spawn(CartActor)).toThrow(UnknownActorClassError);
    expect(() => system.spawn(CartActor)).toThrow('The class CartActor is not registered as an actor.');
    expect(() => system.spawn(class {})).toThrow('The class (anonymous)');
  });

  it('spawns a class with the props that the system has for it', async () => {
    class CartActor {}
    const got: unknown[] = [];
    const { system } = testSystem({ propsOfClass: () => Props.of(recorder(got)) });
    system.spawn(CartActor, 'cart').tell('hello');
    await settle();

    expect(got).toEqual(['hello']);
  });

  it.each([undefined, null, 5, 'cart', {}, Behavior.same(), Behavior.stopped(), Behavior.unhandled()])(
    'rejects %p',
    (what) => {
      const { system } = testSystem();

      expect(() => system.spawn(what as never)).toThrow(InvalidBehaviorError);
    },
  );

  it('is rejected in a system that is stopping or has stopped', async () => {
    const { system } = testSystem();
    const ended = system.shutdown();

    expect(() => system.spawn(recorder(), 'late')).toThrow(ActorSystemStoppingError);
    expect(() => system.spawn(recorder(), 'late')).toThrow(
      'System "test" is stopping or has stopped, so it cannot spawn "late"',
    );
    await ended;
    expect(() => system.spawn(recorder())).toThrow('so it cannot spawn an actor');
  });

  it('is rejected below an actor that is stopping or has stopped', async () => {
    const { system } = testSystem();
    const errors: unknown[] = [];
    let context!: ActorContext<string>;
    const attempt = (): void => {
      try {
        context.spawn(recorder(), 'late');
      } catch (error) {
        errors.push(error);
      }
    };
    const ref = system.spawn(
      Behavior.setup<string>((ctx) => {
        context = ctx;
        return Behavior.receive<string>(() => undefined).onSignal((_ctx, signal) => {
          if (signal instanceof PostStop) attempt();
        });
      }),
    );
    ref.stop();
    await ref.whenTerminated();
    attempt();

    expect(errors).toHaveLength(2);
    for (const error of errors) expect(error).toBeInstanceOf(ActorSystemStoppingError);
  });

  it('is allowed in a draining child during a shutdown, and the new actor stops with the system', async () => {
    const { system, deadLetters } = testSystem();
    const got: unknown[] = [];
    const ref = system.spawn(obedient);
    ref.tell((ctx) => ctx.spawn(recorder(got), 'late').tell('hello'));
    const report = await system.shutdown();

    expect([report.status, got, deadLetters]).toEqual(['completed', ['hello'], []]);
  });
});

describe('ctx.children', () => {
  it('are found by name and listed until they have stopped', async () => {
    const { system } = testSystem();
    const ref = system.spawn(obedient);
    const seen: unknown[] = [];
    const look: Message = (ctx) => void seen.push([ctx.child('a')?.name, ctx.child('b'), ctx.children.length]);
    ref.tell(look);
    ref.tell((ctx) => void ctx.spawn(recorder(), 'a'));
    ref.tell(look);
    ref.tell((ctx) => ctx.stop(ctx.child('a')));
    await settle();
    ref.tell(look);
    await settle();

    expect(seen).toEqual([
      [undefined, undefined, 0],
      ['a', undefined, 1],
      [undefined, undefined, 0],
    ]);
  });

  it('know their parent', async () => {
    const { system } = testSystem();
    const ref = system.spawn(obedient, 'parent');
    const parent = ref.ask((replyTo) => (ctx) => {
      ctx.spawn(obedient).tell((child) => {
        expect(child.parent).toBe(ctx.self);
        replyTo.tell(child.parent!.path);
      });
    });

    await expect(parent).resolves.toBe('/user/parent');
  });

  it('are, besides the actor itself, the only actors that ctx.stop() stops', async () => {
    const { system } = testSystem();
    const other = system.spawn(recorder(), 'other');
    const ref = system.spawn(obedient, 'one');

    await expect(ref.ask(() => (ctx) => ctx.stop(other))).rejects.toThrow(NotAChildError);
    await settle();
    ref.tell((ctx) => ctx.stop());
    await ref.whenTerminated();
    expect(system.lookup('/user/other')).toBe(other);
  });
});

describe('ActorSystem.lookup()', () => {
  it.each([
    '',
    '/',
    '/user',
    '/user/',
    'user/one',
    '/other/one',
    '/user/one/',
    '/user/two',
    '/user/one/child',
    '/user/$1',
  ])('finds nothing at %p', (path) => {
    const { system } = testSystem();
    system.spawn(recorder(), 'one');

    expect(system.lookup(path)).toBeUndefined();
  });

  it('does not find an actor that has stopped', async () => {
    const { system } = testSystem();
    const ref = system.spawn(recorder(), 'one');
    ref.stop();
    await ref.whenTerminated();

    expect(system.lookup('/user/one')).toBeUndefined();
  });
});
