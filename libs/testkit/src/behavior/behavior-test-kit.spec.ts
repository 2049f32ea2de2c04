import {
  type ActorRef,
  Behavior,
  DeathPactError,
  DuplicateActorNameError,
  InvalidActorNameError,
  InvalidActorOptionError,
  InvalidBehaviorError,
  NoReplyAddressError,
  NotAChildError,
  NothingToStashError,
  PoisonPill,
  PostStop,
  PreStart,
  ReceiveTimeout,
  type Signal,
  StashFullError,
  Terminated,
} from '@roost/actors/core';
import { deferred } from '@roost/kernel';
import { ManualClock } from '@roost/time/testing';
import { AsyncHandlerError } from '../errors/async-handler.error.js';
import { BehaviorBusyError } from '../errors/behavior-busy.error.js';
import { BehaviorStoppedError } from '../errors/behavior-stopped.error.js';
import { InvalidTestkitOptionError } from '../errors/invalid-testkit-option.error.js';
import { ProbeAssertionError } from '../errors/probe-assertion.error.js';
import { Ping, Pong, Question } from '../messages.fixture.js';
import { BehaviorTestKit } from './behavior-test-kit.js';
import {
  Forwarded,
  MessageAdapted,
  Piped,
  ReceiveTimeoutSet,
  Replied,
  Spawned,
  Stashed,
  Stopped,
  TimerCancelled,
  TimerScheduled,
  Unhandled,
  Unstashed,
  Unwatched,
  Watched,
} from './effects.js';
import { TestInbox } from './test-inbox.js';

const silent = Behavior.receive<unknown>(() => undefined);

/** A behavior that calls its messages, which are functions. */
type Order = (ctx: BehaviorTestKit<Order>['context']) => ReturnType<Parameters<typeof Behavior.receive<Order>>[0]>;
const obedient = Behavior.receive<Order>((ctx, order) => order(ctx));
const obey = () => BehaviorTestKit.create(obedient);

describe('BehaviorTestKit.run', () => {
  it('handles the message before it returns', () => {
    const seen: number[] = [];
    const kit = BehaviorTestKit.create(Behavior.receive<Ping>((_ctx, { n }) => void seen.push(n)));

    kit.run(new Ping(1));

    expect(seen).toEqual([1]);
    expect(kit.isAlive).toBe(true);
  });

  it('continues with the behavior that the handler returns', () => {
    const second = Behavior.receive<Ping>(() => Behavior.stopped());
    const kit = BehaviorTestKit.create(Behavior.receive<Ping>(() => second));

    kit.run(new Ping(1));
    expect(kit.currentBehavior).toBe(second);
    kit.run(new Ping(2));

    expect(kit.isAlive).toBe(false);
    expect(kit.currentBehavior).toBe(Behavior.stopped());
  });

  it('runs setups at the start and when one is returned', () => {
    const steps: string[] = [];
    const kit = BehaviorTestKit.create(
      Behavior.setup<string>(() => {
        steps.push('outer');
        return Behavior.setup(() => {
          steps.push('inner');
          return Behavior.withState<string, number>(0, (_ctx, message, count) => {
            steps.push(`${message} ${count}`);
            return count + 1;
          });
        });
      }),
    );

    kit.run('a');
    kit.run('b');

    expect(steps).toEqual(['outer', 'inner', 'a 0', 'b 1']);
  });

  it("throws the handler's error and stays usable", () => {
    const kit = obey();

    expect(() =>
      kit.run(() => {
        throw new Error('boom');
      }),
    ).toThrow('boom');
    expect(kit.isAlive).toBe(true);
    kit.run(() => undefined);
  });

  it('records unhandled messages', () => {
    const kit = BehaviorTestKit.create(Behavior.receive<Ping>(() => Behavior.unhandled()));

    kit.run(new Ping(1));

    expect(kit.expectEffect(Unhandled).message).toEqual(new Ping(1));
  });

  it('rejects messages after the behavior has stopped', async () => {
    const kit = BehaviorTestKit.create(Behavior.receive<Ping>(() => Behavior.stopped()));
    kit.run(new Ping(1));

    expect(() => kit.run(new Ping(2))).toThrow(BehaviorStoppedError);
    expect(() => kit.signal(new ReceiveTimeout())).toThrow(BehaviorStoppedError);
    await expect(kit.runAsync(new Ping(2))).rejects.toThrow(BehaviorStoppedError);
  });

  it('rejects a call from the handler that it runs', () => {
    const kit = obey();

    expect(() => kit.run(() => kit.run(() => undefined))).toThrow(BehaviorBusyError);
  });

  it('rejects an asynchronous handler, and names the method to call', () => {
    const kit = BehaviorTestKit.create(Behavior.receive<Ping>(async () => undefined));

    expect(() => kit.run(new Ping(1))).toThrow(AsyncHandlerError);
    expect(() => kit.run(new Ping(1))).toThrow('Use `await kit.runAsync()`');
  });

  it('leaves no unhandled rejection of an asynchronous handler', async () => {
    const kit = BehaviorTestKit.create(Behavior.receive<Ping>(() => Promise.reject(new Error('boom'))));
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', note);

    expect(() => kit.run(new Ping(1))).toThrow(AsyncHandlerError);
    await new Promise((resolve) => setImmediate(resolve));

    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  it('rejects a value that is not a behavior', () => {
    const kit = obey();

    expect(() => kit.run(() => 5 as never)).toThrow(InvalidBehaviorError);
    expect(() => kit.run(() => Behavior.setup(() => Behavior.same()))).toThrow(InvalidBehaviorError);
    expect(() => BehaviorTestKit.create(Behavior.same())).toThrow(InvalidBehaviorError);
    expect(() => BehaviorTestKit.create({} as never)).toThrow(InvalidBehaviorError);
  });
});

describe('BehaviorTestKit.runAsync', () => {
  it('resolves when the handler has settled, and switches to its behavior', async () => {
    const kit = BehaviorTestKit.create(
      Behavior.receive<Ping>(async () => {
        await Promise.resolve();
        return Behavior.stopped<Ping>();
      }),
    );

    await kit.runAsync(new Ping(1));

    expect(kit.isAlive).toBe(false);
  });

  it("rejects with the handler's error and stays usable", async () => {
    const kit = obey();

    await expect(kit.runAsync(() => Promise.reject(new Error('boom')))).rejects.toThrow('boom');
    await kit.runAsync(() => Promise.resolve());
  });

  it('rejects a second message while the first is running', async () => {
    const kit = obey();
    const end = deferred();
    const first = kit.runAsync(() => end.promise);

    await expect(kit.runAsync(() => undefined)).rejects.toThrow(BehaviorBusyError);
    expect(() => kit.run(() => undefined)).toThrow(BehaviorBusyError);
    end.resolve();
    await first;
    kit.run(() => undefined);
  });

  it('keeps the sender until the handler has settled', async () => {
    const kit = obey();
    const inbox = new TestInbox();

    await kit.runAsync(async (ctx) => {
      await Promise.resolve();
      ctx.reply('late');
    }, inbox.ref);

    inbox.expectMessage('late');
  });

  it('starts behaviors with an asynchronous setup', async () => {
    const behavior = Behavior.setup<Ping>(async () => Behavior.receive<Ping>((ctx, { n }) => ctx.reply(n)));

    expect(() => BehaviorTestKit.create(behavior)).toThrow('BehaviorTestKit.createAsync()');
    const kit = await BehaviorTestKit.createAsync(behavior);
    expect(kit.ask(() => new Ping(7))).toBe(7);
  });
});

describe('BehaviorTestKit.signal', () => {
  const recording = (seen: Signal[]) => silent.onSignal((_ctx, signal) => void seen.push(signal));

  it('delivers PreStart first and PostStop last', () => {
    const seen: Signal[] = [];
    const kit = BehaviorTestKit.create(
      Behavior.receive<string>(() => Behavior.stopped()).onSignal((_ctx, signal) => void seen.push(signal)),
    );

    kit.signal(new ReceiveTimeout());
    kit.run('stop');

    expect(seen).toEqual([new PreStart(), new ReceiveTimeout(), new PostStop()]);
  });

  it('continues with the behavior that the handler returns', () => {
    const kit = BehaviorTestKit.create(
      silent.onSignal((_ctx, signal) => (signal instanceof ReceiveTimeout ? Behavior.stopped() : Behavior.same())),
    );

    kit.signal(new ReceiveTimeout());

    expect(kit.isAlive).toBe(false);
  });

  it('throws for an unhandled Terminated, which would fail an actor', () => {
    const { ref } = new TestInbox();

    expect(() => BehaviorTestKit.create(silent).signal(new Terminated(ref))).toThrow(DeathPactError);
    expect(() =>
      BehaviorTestKit.create(silent.onSignal(() => Behavior.unhandled())).signal(new Terminated(ref)),
    ).toThrow(DeathPactError);
    const seen: Signal[] = [];
    BehaviorTestKit.create(recording(seen)).signal(new Terminated(ref));
    expect(seen).toHaveLength(2);
  });

  it('ignores other unhandled signals', () => {
    const kit = BehaviorTestKit.create(silent);

    kit.signal(new ReceiveTimeout());

    kit.expectNoEffects();
  });

  it('waits for asynchronous handlers only with signalAsync', async () => {
    const kit = BehaviorTestKit.create(
      silent.onSignal((_ctx, signal) => (signal instanceof ReceiveTimeout ? Promise.resolve() : undefined)),
    );

    expect(() => kit.signal(new ReceiveTimeout())).toThrow('kit.signalAsync()');
    await kit.signalAsync(new ReceiveTimeout());
  });

  it('aborts ctx.signal when the behavior stops', () => {
    const kit = obey();
    const { signal } = kit.context;
    expect(signal.aborted).toBe(false);

    kit.run(() => Behavior.stopped());

    expect(signal.aborted).toBe(true);
  });
});

describe('BehaviorTestKit.ask', () => {
  it('returns the message sent to replyTo or passed to ctx.reply()', async () => {
    const oracle = Behavior.receive<Question>((_ctx, { text, replyTo }) => replyTo.tell(`${text}?`));
    const echo = Behavior.receive<Ping>(async (ctx, { n }) => ctx.reply(new Pong(n)));

    expect(BehaviorTestKit.create(oracle).ask<string>((replyTo) => new Question('why', replyTo))).toBe('why?');
    expect(await BehaviorTestKit.create(echo).askAsync(() => new Ping(1))).toEqual(new Pong(1));
  });

  it('fails when there is no reply', async () => {
    const kit = BehaviorTestKit.create(silent);
    const text = '/test/behavior?ask expected a reply to Ping { n: 1 }, but none arrived';

    expect(() => kit.ask(() => new Ping(1))).toThrow(new ProbeAssertionError(text));
    await expect(kit.askAsync(() => new Ping(1))).rejects.toThrow(text);
  });
});

describe('BehaviorTestKit effects', () => {
  it('record children', () => {
    const kit = obey();
    let child!: ActorRef<Ping>;

    kit.run((ctx) => {
      child = ctx.spawn<Ping>(silent, 'a');
      ctx.spawn(silent);
      child.tell(new Ping(1));
    });

    expect(kit.expectEffect(Spawned, { name: 'a' })).toMatchObject({ what: silent, ref: child });
    expect(kit.expectEffect(Spawned).name).toBe('$1');
    kit.childInbox<Ping>('a').expectMessage(new Ping(1));
    expect(kit.context.child('a')).toBe(child);
    expect(kit.context.children).toHaveLength(2);

    kit.run((ctx) => {
      child.tell(new Ping(2));
      ctx.stop(child);
    });
    expect(kit.expectEffect(Stopped)).toMatchObject({ name: 'a', ref: child });
    expect(kit.context.child('a')).toBeUndefined();
    kit.childInbox<Ping>('a').expectMessage(new Ping(2));
    expect(() => kit.childInbox('b')).toThrow("expected a child named 'b', but it spawned only a, $1");
    expect(() => obey().childInbox('b')).toThrow('it spawned none');
  });

  it('record watches', () => {
    const kit = obey();
    const { ref } = new TestInbox();

    kit.run((ctx) => {
      ctx.watch(ref);
      ctx.watchWith(ref, () => Behavior.stopped());
      ctx.unwatch(ref);
    });

    expect(kit.effects.map((effect) => effect.constructor)).toEqual([Watched, Watched, Unwatched]);
    expect(kit.expectEffect(Watched)).toEqual(new Watched(ref));
    expect(kit.expectEffect(Watched).message).toBeInstanceOf(Function);
    expect(kit.expectEffect(Unwatched).ref).toBe(ref);
  });

  it('record timers and the receive timeout', () => {
    const kit = BehaviorTestKit.create(
      Behavior.setup<string>((ctx) => {
        ctx.timers.once('a', 'once', 100);
        ctx.timers.fixedDelay('b', 'delay', 200);
        ctx.timers.fixedRate('c', 'rate', 300, 0);
        ctx.setReceiveTimeout(400);
        ctx.timers.cancel('b');
        ctx.timers.cancel('nothing');
        return Behavior.receive((context) => context.timers.cancelAll());
      }),
    );

    expect(kit.effects).toEqual([
      new TimerScheduled('once', 'a', 'once', 100, 100),
      new TimerScheduled('fixedDelay', 'b', 'delay', 200, 200),
      new TimerScheduled('fixedRate', 'c', 'rate', 300, 0),
      new ReceiveTimeoutSet(400),
      new TimerCancelled('b'),
    ]);
    expect(['a', 'b', 'c'].map((key) => kit.context.timers.isActive(key))).toEqual([true, false, true]);
    kit.clearEffects();
    kit.run('cancel');
    expect(kit.effects).toEqual([new TimerCancelled('a'), new TimerCancelled('c')]);
  });

  it('record stashing, and run stashed messages in order after the one that unstashes them', () => {
    const handled: string[] = [];
    const open = Behavior.receive<string>((_ctx, message) => void handled.push(message));
    const kit = BehaviorTestKit.create(
      Behavior.receive<string>((ctx, message) => {
        if (message !== 'open') return ctx.stash();
        ctx.unstashAll();
        handled.push(message);
        return open;
      }),
    );

    kit.run('a');
    kit.run('b');
    kit.expectEffect(Stashed, { message: 'a' });
    kit.run('open');

    expect(kit.expectEffect(Unstashed).messages).toEqual(['a', 'b']);
    expect(handled).toEqual(['open', 'a', 'b']);
  });

  it('record stashing, and run nothing after the behavior has stopped', () => {
    const kit = BehaviorTestKit.create(
      Behavior.receive<string>((ctx, message) => {
        if (message !== 'stop') return ctx.stash();
        ctx.unstashAll();
        return Behavior.stopped();
      }),
    );
    kit.run('a');

    kit.run('stop');

    expect(kit.effects.map((effect) => effect.constructor)).toEqual([Stashed, Unstashed]);
  });

  it('record stashing, and run messages that a signal handler unstashes', () => {
    const handled: string[] = [];
    const ready = Behavior.receive<string>((_ctx, message) => void handled.push(message));
    const kit = BehaviorTestKit.create(
      Behavior.receive<string>((ctx) => ctx.stash()).onSignal((ctx, signal) => {
        if (!(signal instanceof ReceiveTimeout)) return;
        ctx.unstashAll();
        return ready;
      }),
    );
    kit.run('a');
    kit.run('b');

    kit.signal(new ReceiveTimeout());

    expect(handled).toEqual(['a', 'b']);
  });

  it('record replies and forwards', () => {
    const kit = obey();
    const [sender, other] = [new TestInbox(), new TestInbox()];

    kit.run((ctx) => {
      ctx.reply('hello');
      ctx.forward(other.ref, 'question');
    }, sender.ref);

    expect(kit.effects).toEqual([new Replied('hello', sender.ref), new Forwarded('question', other.ref)]);
    sender.expectMessage('hello');
    other.expectMessage('question');
  });

  it("record message adapters, whose translated messages go to the behavior's inbox", () => {
    const adapted = BehaviorTestKit.create(
      Behavior.setup<string>((ctx) => {
        ctx.messageAdapter<Ping>(({ n }) => `ping ${n}`).tell(new Ping(1));
        return Behavior.receive(() => undefined);
      }),
    );

    expect(adapted.expectEffect(MessageAdapted).ref.path).toBe('/test/behavior');
    adapted.selfInbox.expectMessage('ping 1');
  });

  it('record piped promises: the outcome is a message, or the error that would fail the actor', async () => {
    const kit = BehaviorTestKit.create(
      Behavior.receive<string>((ctx, message) => {
        if (message === 'value') ctx.pipeToSelf(Promise.resolve(1), (value) => `got ${value}`);
        if (message === 'error')
          ctx.pipeToSelf(Promise.reject(new Error('no')), String, (error) => `lost: ${String(error)}`);
        if (message === 'fail') ctx.pipeToSelf(Promise.reject(new Error('no')), String);
      }),
    );
    for (const message of ['value', 'error', 'fail']) kit.run(message);
    const [value, error, fail] = [kit.expectEffect(Piped), kit.expectEffect(Piped), kit.expectEffect(Piped)];

    expect(await value.outcome).toBe('got 1');
    expect(await error.outcome).toBe('lost: Error: no');
    await expect(fail.outcome).rejects.toThrow('no');
    expect(kit.selfInbox.receiveAll()).toEqual(['got 1', 'lost: Error: no']);
  });

  it('record a stop of the behavior itself, after the message', () => {
    const kit = obey();
    let after = false;

    kit.run((ctx) => {
      ctx.stop();
      after = true;
    });

    expect([kit.isAlive, after]).toEqual([false, true]);
    expect(kit.expectEffect(Stopped).ref).toBe(kit.context.self);
  });
});

describe('BehaviorTestKit.expectEffect', () => {
  it('takes the oldest matching effect and leaves the others', () => {
    const kit = obey();
    kit.run((ctx) => {
      ctx.timers.once('a', () => undefined, 1);
      ctx.timers.once('b', () => undefined, 2);
    });

    expect(kit.expectEffect(TimerScheduled, { delayMs: 2 }).key).toBe('b');
    expect(kit.effects).toMatchObject([{ key: 'a' }]);
  });

  it('fails with a list of all effects', () => {
    const kit = obey();
    expect(() => kit.expectEffect(Stashed)).toThrow(
      new ProbeAssertionError('/test/behavior expected the effect Stashed, but there are no effects'),
    );
    kit.run((ctx) => ctx.setReceiveTimeout(5));

    expect(() => kit.expectEffect(ReceiveTimeoutSet, { timeoutMs: 6 })).toThrow(
      '/test/behavior expected the effect ReceiveTimeoutSet with { timeoutMs: 6 }, but the effects are: ReceiveTimeoutSet { timeoutMs: 5 }',
    );
    expect(() => kit.expectNoEffects()).toThrow('expected no effects, but the effects are');
  });
});

describe('the context of a BehaviorTestKit', () => {
  it('has its name and path, records its logs, and has a system on a manual clock', () => {
    const clock = new ManualClock({ now: 7 });
    const kit = BehaviorTestKit.create(obedient, { name: 'cart', clock });

    kit.run((ctx) => {
      for (const level of ['debug', 'log', 'warn', 'error'] as const) ctx.log[level](level);
      ctx.self.tell(() => undefined);
    });

    const { context } = kit;
    expect([context.name, context.path, context.parent, context.sender]).toEqual([
      'cart',
      '/test/cart',
      undefined,
      undefined,
    ]);
    expect(kit.log).toEqual(
      ['debug', 'log', 'warn', 'error'].map((level) => ({ level, path: '/test/cart', message: level })),
    );
    expect(kit.selfInbox.hasMessages).toBe(true);
    expect(context.system.options.clock).toBe(clock);
    expect(context.system).toBe(context.system);
  });

  it('rejects what the real context rejects', () => {
    const kit = BehaviorTestKit.create(obedient, { stashCapacity: 1 });
    const stranger = new TestInbox('/test/other/a').ref;
    const refuses = (order: Order, error: new (...args: never[]) => Error) =>
      expect(() => kit.run(order)).toThrow(error);
    kit.run((ctx) => void ctx.spawn(silent, 'a'));

    refuses((ctx) => void ctx.spawn(silent, 'a'), DuplicateActorNameError);
    refuses((ctx) => void ctx.spawn(silent, 'a/b'), InvalidActorNameError);
    refuses((ctx) => ctx.stop(stranger), NotAChildError);
    refuses((ctx) => ctx.reply(1), NoReplyAddressError);
    refuses((ctx) => ctx.timers.once('k', () => undefined, -1), InvalidActorOptionError);
    refuses((ctx) => ctx.timers.fixedRate('k', () => undefined, 0), InvalidActorOptionError);
    refuses((ctx) => ctx.setReceiveTimeout(0), InvalidActorOptionError);
    kit.run((ctx) => ctx.stash());
    refuses((ctx) => ctx.stash(), StashFullError);
    expect(() => BehaviorTestKit.create(Behavior.setup((ctx) => (ctx.stash(), silent)))).toThrow(NothingToStashError);
  });

  it('rejects invalid options', () => {
    expect(() => BehaviorTestKit.create(silent, { stashCapacity: 0 })).toThrow(InvalidTestkitOptionError);
    expect(() => BehaviorTestKit.create(silent, { name: 'a/b' })).toThrow(InvalidActorNameError);
  });
});

describe('TestInbox', () => {
  it('supports ask and reply', async () => {
    const inbox = new TestInbox<Question>();
    const answer = inbox.ref.ask<string>((replyTo) => new Question('why', replyTo));

    inbox.expectMessageType(Question).replyTo.tell('because');

    expect(await answer).toBe('because');
  });

  it('never terminates', async () => {
    const inbox = new TestInbox();
    inbox.ref.stop();

    const first = await Promise.race([inbox.ref.whenTerminated().then(() => 'ended'), Promise.resolve('not ended')]);

    expect(first).toBe('not ended');
  });

  it('stores system messages separately', async () => {
    const inbox = new TestInbox<string>();
    inbox.ref.stop();
    await inbox.ref.offer('a');

    expect(inbox.systemMessages).toEqual([PoisonPill]);
    expect(inbox.waiting).toEqual(['a']);
  });

  it('fails with the actual message', () => {
    const inbox = new TestInbox<Ping | Pong>('/test/x');
    for (const n of [1, 2, 3]) inbox.ref.tell(new Ping(n));

    expect(() => inbox.expectMessage(new Pong(1))).toThrow(
      '/test/x expected Pong { n: 1 }, but got Ping { n: 1 }; waiting: Ping { n: 2 }, Ping { n: 3 }',
    );
    expect(() => inbox.expectMessageType(Pong)).toThrow('expected a message of class Pong, but got Ping { n: 2 }');
    expect(() => inbox.expectNoMessage()).toThrow(
      'expected no message, but messages are waiting; waiting: Ping { n: 3 }',
    );
    expect(inbox.receiveMessage()).toEqual(new Ping(3));
    expect(() => inbox.receiveMessage()).toThrow('expected a message, but no message arrived');
    inbox.expectNoMessage();
  });
});
