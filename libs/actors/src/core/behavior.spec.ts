import { deferred } from '@roost/kernel';
import { settle, testSystem } from './actor-system.fixture.js';
import type { ActorRef } from './actor-ref.js';
import { Behavior } from './behavior.js';
import { InvalidActorOptionError } from './errors/invalid-actor-option.error.js';
import { InvalidBehaviorError } from './errors/invalid-behavior.error.js';
import { PostStop } from './signals.js';
import { oneForOne } from './supervision/one-for-one.strategy.js';
import { Directive } from './supervision/directive.js';

const spawned = <M>(behavior: Behavior<M>) => {
  const test = testSystem();
  return { ...test, ref: test.system.spawn(behavior, 'one') };
};

describe('the return value of a handler', () => {
  it('is the next behavior: another one, the same, or nothing', async () => {
    const log: string[] = [];
    const on: Behavior<string> = Behavior.receive<string>((_ctx, message) => {
      log.push(`on ${message}`);
      return message === 'toggle' ? off : Behavior.same();
    });
    const off: Behavior<string> = Behavior.receive<string>(async (_ctx, message) => {
      log.push(`off ${message}`);
      if (message === 'toggle') return on;
    });
    const { ref } = spawned(off);
    for (const message of ['a', 'toggle', 'b', 'toggle', 'c']) ref.tell(message);
    await settle();

    expect(log).toEqual(['off a', 'off toggle', 'on b', 'on toggle', 'off c']);
  });

  it('may be a setup, even an asynchronous one, which runs before the next message', async () => {
    const log: string[] = [];
    const ready = deferred();
    const next = Behavior.setup<string>(async (ctx) => {
      log.push('setup begins');
      await ready.promise;
      log.push('setup ends');
      expect(ctx.name).toBe('one');
      return Behavior.receive<string>((_ctx, message) => void log.push(`next ${message}`));
    });
    const { ref } = spawned(Behavior.receive<string>(() => Behavior.setup(() => next)));
    ref.tell('go');
    ref.tell('a');
    await settle();
    expect(log).toEqual(['setup begins']);
    ready.resolve();
    await settle();

    expect(log).toEqual(['setup begins', 'setup ends', 'next a']);
  });

  it.each([
    ['synchronous', () => Behavior.stopped<string>()],
    ['asynchronous', async () => Behavior.stopped<string>()],
    ['a setup', () => Behavior.setup<string>(() => Behavior.stopped())],
  ])('may stop the actor (%s): waiting messages become dead letters', async (_how, handler) => {
    const { ref, deadLetters } = spawned(Behavior.receive<string>(handler));
    ref.tell('stop');
    ref.tell('too late');
    await ref.whenTerminated();

    expect(deadLetters).toMatchObject([{ message: 'too late', reason: 'stopped' }]);
  });

  it.each([42, 'same', {}, null, [], () => undefined])('fails the actor when it is %p', async (bad) => {
    const { ref, logger } = spawned(Behavior.receive<string>(() => bad as never));
    ref.tell('x');
    await settle();

    expect(logger.lines[0]).toContain(
      'failed on string (restart): InvalidBehaviorError: The return value of a handler of /user/one',
    );
  });

  it('fails the actor when a setup does not return a behavior', async () => {
    const bad = [Behavior.same(), Behavior.unhandled(), undefined, 5];
    for (const what of bad) {
      const { ref, logger } = spawned(Behavior.receive<string>(() => Behavior.setup(() => what as never)));
      ref.tell('x');
      await settle();
      expect(logger.lines[0]).toContain('The return value of a setup of /user/one must be a behavior');
    }
  });

  it('may be any thenable, which is awaited once', async () => {
    const order: string[] = [];
    const { ref } = spawned(
      Behavior.receive<string>((_ctx, message) => {
        order.push(message);
        const odd = {
          then(resolve: (value: undefined) => void) {
            resolve(undefined);
            resolve(undefined);
          },
        };
        return odd as unknown as Promise<void>;
      }),
    );
    for (const message of ['a', 'b', 'c']) ref.tell(message);
    await settle();

    expect(order).toEqual(['a', 'b', 'c']);
  });
});

describe('Behavior.withState', () => {
  type Count = { by: number } | { get: ActorRef<number> };

  it('carries the state from message to message', async () => {
    const { ref } = spawned(
      Behavior.withState<Count, number>(0, (_ctx, message, state) => {
        if ('by' in message) return state + message.by;
        message.get.tell(state);
      }),
    );
    ref.tell({ by: 2 });
    ref.tell({ by: 3 });

    await expect(ref.ask<number>((get) => ({ get }))).resolves.toBe(5);
    await expect(ref.ask<number>((get) => ({ get }))).resolves.toBe(5);
  });

  it('carries the state through asynchronous handlers', async () => {
    const { ref } = spawned(
      Behavior.withState<Count, number>(10, async (_ctx, message, state) => {
        await Promise.resolve();
        if ('by' in message) return state + message.by;
        message.get.tell(state);
      }),
    );
    for (let n = 0; n < 10; n++) ref.tell({ by: 1 });

    await expect(ref.ask<number>((get) => ({ get }))).resolves.toBe(20);
  });

  it('keeps a separate state per actor, and starts anew at a restart', async () => {
    const behavior = Behavior.withState<Count, number>(0, (_ctx, message, state) => {
      if ('get' in message) return message.get.tell(state);
      if (message.by < 0) throw new Error('negative');
      return state + message.by;
    });
    const { system, ref } = spawned(behavior);
    const other = system.spawn(behavior);
    ref.tell({ by: 5 });
    other.tell({ by: 1 });
    await expect(other.ask<number>((get) => ({ get }))).resolves.toBe(1);
    ref.tell({ by: -1 });
    ref.tell({ by: 2 });

    await expect(ref.ask<number>((get) => ({ get }))).resolves.toBe(2);
  });

  it('accepts falsy states, and keeps the state when a handler fails and the actor resumes', async () => {
    const supervision = oneForOne({ decide: () => Directive.Resume });
    const behavior = Behavior.withState<ActorRef<unknown> | 'clear' | 'fail', unknown>(
      'full',
      (_ctx, message, state) => {
        if (message === 'clear') return null;
        if (message === 'fail') throw new Error('asked to');
        message.tell(state);
      },
    );
    const { ref } = spawned(Behavior.supervise(behavior, supervision));
    ref.tell('clear');
    ref.tell('fail');

    await expect(ref.ask((replyTo) => replyTo)).resolves.toBeNull();
  });

  it('is replaced by a returned behavior, even from an asynchronous handler', async () => {
    const { ref } = spawned(
      Behavior.withState<string, number>(0, async (_ctx, message) => {
        if (message === 'stop') return Behavior.stopped();
        return Behavior.unhandled();
      }),
    );
    await expect(ref.ask(() => 'what')).rejects.toMatchObject({ reason: 'unhandled' });
    ref.tell('stop');

    await expect(ref.whenTerminated()).resolves.toBeUndefined();
  });
});

describe('onSignal on a setup or withState', () => {
  const stopOn = (messages: string[]) =>
    Behavior.withState<string, number>(0, (_ctx, message) => {
      messages.push(message);
      if (message === 'stop') return Behavior.stopped();
    });

  it('applies to the behavior that the setup, even an asynchronous one, or withState returns', async () => {
    const { system } = testSystem();
    const plain = Behavior.receive<string>(() => Behavior.stopped());
    for (const [name, behavior] of Object.entries({
      setup: Behavior.setup<string>(() => plain),
      async: Behavior.setup<string>(() => Promise.resolve(plain)),
      withState: stopOn([]),
    })) {
      const signals: string[] = [];
      const ref = system.spawn(
        behavior.onSignal((_ctx, signal) => void signals.push(signal.constructor.name)),
        name,
      );
      ref.tell('stop');
      await settle();
      expect(signals).toEqual(['PreStart', 'PostStop']);
    }
  });

  it('is overridden by a signal handler of the returned behavior', async () => {
    const { system } = testSystem();
    const signals: string[] = [];
    const inner = Behavior.receive<string>(() => Behavior.same()).onSignal(() => void signals.push('inner'));
    system.spawn(Behavior.setup<string>(() => inner).onSignal(() => void signals.push('outer')));
    await settle();
    expect(signals).toEqual(['inner']);
  });

  it('is rejected on behaviors that handle no messages', () => {
    expect(() => Behavior.stopped<string>().onSignal(() => undefined)).toThrow(InvalidBehaviorError);
  });
});

describe('Behavior factories', () => {
  it('refuse to supervise a value that is not a behavior, or with one that is not a strategy', () => {
    const behavior = Behavior.receive<string>(() => undefined);
    expect(() => Behavior.supervise({} as never, oneForOne())).toThrow(InvalidBehaviorError);
    expect(() => Behavior.supervise(behavior, undefined as never)).toThrow(InvalidActorOptionError);
  });

  it.each([
    ['receive', () => Behavior.receive(undefined as never)],
    ['setup', () => Behavior.setup('x' as never)],
    ['withState', () => Behavior.withState(0, undefined as never)],
    ['onSignal', () => Behavior.receive(() => undefined).onSignal(5 as never)],
    ['onSignal of a marker', () => Behavior.same().onSignal(() => undefined)],
  ])('reject a value that is not a function (%s)', (_what, make) => {
    expect(make).toThrow(InvalidBehaviorError);
  });

  it('add a signal handler without changing the original behavior', async () => {
    const log: string[] = [];
    const plain = Behavior.receive<string>(() => undefined);
    const first = plain.onSignal((_ctx, signal) => {
      if (signal instanceof PostStop) log.push('first');
    });
    const second = first.onSignal((_ctx, signal) => {
      if (signal instanceof PostStop) log.push('second');
    });
    const { system } = testSystem();
    for (const behavior of [plain, first, second]) {
      const ref = system.spawn(behavior);
      ref.stop();
      await ref.whenTerminated();
    }

    expect(log).toEqual(['first', 'second']);
  });

  it('keep handlers when a behavior is supervised', () => {
    const handler = () => undefined;
    const strategy = oneForOne();
    const behavior = Behavior.supervise(Behavior.receive(handler).onSignal(handler), strategy);

    expect(behavior).toMatchObject({
      kind: 'receive',
      onMessage: handler,
      signalHandler: handler,
      supervision: strategy,
    });
  });
});
