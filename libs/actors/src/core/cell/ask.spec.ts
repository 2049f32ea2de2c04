import { deferred } from '@roost/kernel';
import { systemClock } from '@roost/time';
import { internalsOf } from '../internals.js';
import { advance, recorder, settle, testSystem } from '../actor-system.fixture.js';
import type { ActorContext } from '../actor-context.js';
import type { ActorRef } from '../actor-ref.js';
import { ActorSystem } from '../actor-system.js';
import { Behavior, type BehaviorResult } from '../behavior.js';
import { AskTimeoutError } from '../errors/ask-timeout.error.js';
import { InvalidActorOptionError } from '../errors/invalid-actor-option.error.js';
import { NoReplyAddressError } from '../errors/no-reply-address.error.js';
import { NotAnActorError } from '../errors/not-an-actor.error.js';
import { UndeliveredError } from '../errors/undelivered.error.js';
import { PostRestart } from '../signals.js';
import { Kill, PoisonPill } from '../system-messages.js';

class Question {
  constructor(
    readonly text: string,
    readonly replyTo: ActorRef<string>,
  ) {}
}

type Message = (ctx: ActorContext<Message>) => BehaviorResult<Message>;

const obedient = Behavior.receive<Message>((ctx, message) => message(ctx));

function asked() {
  const test = testSystem({ askTimeoutMs: 1_000 });
  return { ...test, ref: test.system.spawn(obedient, 'asked') };
}

describe('ask()', () => {
  it('resolves with the message sent to replyTo', async () => {
    const { system } = testSystem();
    const ref = system.spawn(Behavior.receive<Question>((_ctx, { text, replyTo }) => replyTo.tell(`re: ${text}`)));

    await expect(ref.ask<string>((replyTo) => new Question('why', replyTo))).resolves.toBe('re: why');
  });

  it('resolves with the value of ctx.reply()', async () => {
    const { ref } = asked();

    await expect(ref.ask(() => (ctx) => ctx.reply(42))).resolves.toBe(42);
  });

  it('resolves when the reply is sent later, from anywhere', async () => {
    const { ref, system } = asked();
    const kept: ActorRef<string>[] = [];
    const reply = ref.ask<string>((replyTo) => () => void kept.push(replyTo));
    await settle();
    const other = system.spawn(recorder());
    kept[0]!.tell('at last', other);

    await expect(reply).resolves.toBe('at last');
  });

  it('resolves with an undefined reply, and with an error as the reply', async () => {
    const { ref } = asked();
    const error = new Error('as a value');

    await expect(ref.ask(() => (ctx) => ctx.reply(undefined))).resolves.toBeUndefined();
    await expect(ref.ask(() => (ctx) => ctx.reply(error))).resolves.toBe(error);
  });

  it('sends the same object that it was given', async () => {
    const { system } = testSystem();
    const got: unknown[] = [];
    const ref = system.spawn(
      Behavior.receive<Question>((ctx, message) => {
        got.push(message);
        ctx.reply('yes');
      }),
    );
    const sent: unknown[] = [];
    await ref.ask<string>((replyTo) => {
      const question = Object.freeze(new Question('me?', replyTo));
      sent.push(question);
      return question;
    });

    expect(got[0]).toBe(sent[0]);
    expect(got[0]).toBeInstanceOf(Question);
  });

  it('rejects when no reply arrives in time, and names the actor and the message', async () => {
    const test = asked();
    let error: unknown;
    test.ref.ask(() => () => undefined, { timeoutMs: 250 }).catch((thrown: unknown) => (error = thrown));
    await advance(test, 249);
    expect(error).toBeUndefined();
    await advance(test, 1);
    await settle();

    expect(error).toBeInstanceOf(AskTimeoutError);
    expect(error).toMatchObject({
      code: 'ACTORS_ASK_TIMEOUT',
      path: '/user/asked',
      messageType: 'function',
      timeoutMs: 250,
    });
    expect(String(error)).toContain('/user/asked did not reply to function within 250 ms.');
  });

  it('uses the timeout of the system by default', async () => {
    const test = asked();
    const reply = test.ref.ask(() => () => undefined).catch((error: unknown) => error);
    await advance(test, 1_000);

    await expect(reply).resolves.toMatchObject({ timeoutMs: 1_000 });
  });

  it.each([0, -1, NaN, Infinity, 2 ** 31, '5' as unknown as number])(
    'rejects with a timeout of %p',
    async (timeoutMs) => {
      const { ref } = asked();

      await expect(ref.ask(() => (ctx) => ctx.reply(1), { timeoutMs })).rejects.toThrow(InvalidActorOptionError);
    },
  );

  it('rejects with the error of the function that creates the message, and sends nothing', async () => {
    const { ref, clock, deadLetters } = asked();
    const asking = ref.ask(() => {
      throw new Error('no message');
    });

    await expect(asking).rejects.toThrow('no message');
    expect([clock.pendingTimers, deadLetters]).toEqual([0, []]);
  });

  it('rejects at once when the actor has stopped', async () => {
    const { ref, deadLetters } = asked();
    ref.stop();
    await ref.whenTerminated();
    const asking = ref.ask(() => (ctx) => ctx.reply('from beyond'));

    await expect(asking).rejects.toMatchObject({ code: 'ACTORS_UNDELIVERED', path: '/user/asked', reason: 'stopped' });
    expect(deadLetters).toHaveLength(1);
  });

  it.each([
    ['drained', PoisonPill],
    ['killed', Kill],
  ])('rejects at once when the actor is %s before it handles the message', async (_how, end) => {
    const { ref } = asked();
    ref.tell(end);
    const asking = ref.ask(() => (ctx) => ctx.reply('too late'));

    await expect(asking).rejects.toMatchObject({ reason: 'stopped' });
  });

  it('rejects at once with the error that the handler throws or rejects with', async () => {
    const { ref } = asked();
    const sync = ref.ask(() => () => {
      throw new RangeError('sync');
    });
    await expect(sync).rejects.toThrow(new RangeError('sync'));
    const async = ref.ask(() => () => Promise.reject(new RangeError('async')));

    await expect(async).rejects.toThrow(new RangeError('async'));
  });

  it('rejects at once when the handler returns a value that is not a behavior', async () => {
    const { ref } = asked();

    await expect(ref.ask(() => () => 42 as never)).rejects.toMatchObject({ code: 'ACTORS_INVALID_BEHAVIOR' });
  });

  it('rejects at once when the message is unhandled', async () => {
    const { ref } = asked();

    await expect(ref.ask(() => () => Behavior.unhandled())).rejects.toMatchObject({ reason: 'unhandled' });
    await expect(ref.ask(() => async () => Behavior.unhandled())).rejects.toMatchObject({ reason: 'unhandled' });
  });

  it('rejects when the system stops and no actor can reply', async () => {
    const { ref, system } = asked();
    const asking = ref.ask(() => () => undefined, { timeoutMs: 60_000 }).catch((error: unknown) => error);
    await settle();
    await system.shutdown();

    await expect(asking).resolves.toBeInstanceOf(UndeliveredError);
  });

  it("rejects when the handler is abandoned at the system's deadline", async () => {
    const test = asked();
    const stuck = deferred();
    const asking = test.ref.ask(() => () => stuck.promise, { timeoutMs: 60_000 }).catch((error: unknown) => error);
    await settle();
    const ended = test.system.shutdown(100);
    await advance(test, 100);
    await ended;

    await expect(asking).resolves.toBeInstanceOf(UndeliveredError);
  });

  it('stays pending while the message is stashed, and rejects when the stash is discarded', async () => {
    const { ref } = asked();
    let first = true;
    const later = ref.ask(() => (ctx) => {
      if (first) ctx.stash();
      else ctx.reply('unstashed');
      first = false;
    });
    ref.tell((ctx) => ctx.unstashAll());
    await expect(later).resolves.toBe('unstashed');
    const never = ref.ask(() => (ctx) => ctx.stash());
    ref.stop();

    await expect(never).rejects.toMatchObject({ reason: 'stopped' });
  });
});

describe('a settled ask', () => {
  it('turns a second reply into a dead letter with its sender', async () => {
    const { ref, deadLetters } = asked();
    const reply = await ref.ask(() => (ctx) => {
      ctx.reply('first');
      ctx.reply('second');
    });

    expect(reply).toBe('first');
    expect(deadLetters).toMatchObject([
      { message: 'second', reason: 'late-reply', recipient: '/user/asked?ask', sender: { path: '/user/asked' } },
    ]);
  });

  it('turns a late reply into a dead letter', async () => {
    const test = asked();
    const kept: ActorRef<string>[] = [];
    const asking = test.ref.ask<string>((replyTo) => () => void kept.push(replyTo)).catch((error: unknown) => error);
    await advance(test, 1_000);
    await expect(asking).resolves.toBeInstanceOf(AskTimeoutError);
    kept[0]!.tell('sorry');

    expect(test.deadLetters).toMatchObject([{ message: 'sorry', reason: 'late-reply' }]);
  });

  it('ignores a handler that fails after its reply', async () => {
    const { ref } = asked();
    const asking = ref.ask(() => async (ctx) => {
      ctx.reply('done');
      throw new Error('and then');
    });

    await expect(asking).resolves.toBe('done');
    await settle();
  });

  it('leaves no alarm behind', async () => {
    const { ref, system, clock } = asked();
    const abort = new AbortController();
    const asks = [
      ref.ask(() => (ctx) => ctx.reply(1)),
      ref.ask(() => () => Behavior.unhandled()),
      ref.ask(() => () => undefined, { signal: abort.signal }),
      ref.ask(() => () => {
        throw new Error('no');
      }),
    ];
    const all = Promise.allSettled(asks);
    await settle();
    expect(internalsOf(system).alarms.size).toBe(1);
    abort.abort();
    await all;
    await settle();

    expect([internalsOf(system).alarms.size, clock.pendingTimers]).toEqual([0, 0]);
  });

  it('leaves no timers behind, even after a hundred thousand asks on a real clock', async () => {
    const system = new ActorSystem({ clock: systemClock });
    const ref = system.spawn(Behavior.receive<number>((ctx, n) => ctx.reply(n)));
    let sum = 0;
    for (let i = 0; i < 100; i++) {
      const replies = await Promise.all(Array.from({ length: 1_000 }, () => ref.ask<number>(() => 1)));
      for (const reply of replies) sum += reply;
    }
    await settle();

    expect(sum).toBe(100_000);
    expect(internalsOf(system).alarms.size).toBe(0);
    expect((internalsOf(system).alarms as unknown as { timer: unknown }).timer).toBeUndefined();
    await system.shutdown();
  });

  it('times out on a real clock, never early', async () => {
    const system = new ActorSystem();
    const ref = system.spawn(obedient);
    const started = performance.now();

    await expect(ref.ask(() => () => undefined, { timeoutMs: 5 })).rejects.toThrow(AskTimeoutError);
    expect(performance.now() - started).toBeGreaterThanOrEqual(5);
    await system.shutdown();
  });
});

describe('ask() with an AbortSignal', () => {
  const counted = () => {
    const abort = new AbortController();
    const { signal } = abort;
    const listeners = { count: 0 };
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners.count++;
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners.count--;
      removeEventListener.apply(signal, args);
    };
    return { abort, signal, listeners };
  };

  it('sends nothing when the signal is already aborted', async () => {
    const { ref } = asked();
    let handled = 0;
    const asking = ref.ask(() => () => void handled++, { signal: AbortSignal.abort(new Error('no')) });

    await expect(asking).rejects.toThrow('no');
    await settle();
    expect(handled).toBe(0);
  });

  it("rejects with the signal's reason, and the message is still handled", async () => {
    const { ref, deadLetters } = asked();
    const abort = new AbortController();
    const working = deferred();
    const asking = ref.ask(
      () => async (ctx) => {
        await working.promise;
        ctx.reply('for nothing');
      },
      { signal: abort.signal },
    );
    await settle();
    abort.abort(new Error('never mind'));
    await expect(asking).rejects.toThrow('never mind');
    working.resolve();
    await settle();

    expect(deadLetters).toMatchObject([{ message: 'for nothing', reason: 'late-reply' }]);
  });

  it('removes its listener from the signal, however it settles', async () => {
    const test = asked();
    const { signal, listeners, abort } = counted();
    await test.ref.ask(() => (ctx) => ctx.reply(1), { signal });
    expect(listeners.count).toBe(0);
    await expect(test.ref.ask(() => () => Behavior.unhandled(), { signal })).rejects.toThrow(UndeliveredError);
    expect(listeners.count).toBe(0);
    const slow = test.ref.ask(() => () => undefined, { signal }).catch((error: unknown) => error);
    expect(listeners.count).toBe(1);
    await advance(test, 1_000);
    await slow;
    expect(listeners.count).toBe(0);
    const aborted = test.ref.ask(() => () => undefined, { signal }).catch((error: unknown) => error);
    abort.abort();
    await aborted;

    expect(listeners.count).toBe(0);
  });
});

describe('the reply address of an ask', () => {
  it('has a path, but no actor', async () => {
    const { ref } = asked();
    const seen = await ref.ask<{ path: string; name: string }>((replyTo) => (ctx) => {
      expect(() => ctx.watch(replyTo)).toThrow(NotAnActorError);
      replyTo.stop();
      replyTo.tell({ path: replyTo.path, name: replyTo.name });
    });

    expect(seen).toEqual({ path: '/user/asked?ask', name: 'ask' });
  });

  it('accepts a reply by offer(), cannot be asked, and counts as stopped', async () => {
    const { ref } = asked();
    const reply = ref.ask<string>((replyTo) => async () => {
      await replyTo.whenTerminated();
      await expect(replyTo.ask(() => 'what?')).rejects.toThrow('A reply address cannot be asked');
      await replyTo.offer('offered');
    });

    await expect(reply).resolves.toBe('offered');
  });

  it('is missing for a message sent by tell() without a sender', async () => {
    const { ref, logger } = asked();
    const caught: unknown[] = [];
    ref.tell((ctx) => {
      expect(ctx.sender).toBeUndefined();
      try {
        ctx.reply('to whom?');
      } catch (error) {
        caught.push(error);
      }
    });
    await settle();

    expect(caught[0]).toBeInstanceOf(NoReplyAddressError);
    expect(logger.lines).toEqual([]);
  });

  it('is the sender of a message sent by tell() with one', async () => {
    const { ref, system } = asked();
    const got: unknown[] = [];
    const sender = system.spawn(recorder(got));
    ref.tell((ctx) => {
      expect(ctx.sender).toBe(sender);
      ctx.reply('hello');
    }, sender);
    await settle();

    expect(got).toEqual(['hello']);
  });

  it('is passed along with a forwarded message', async () => {
    const { ref, system } = asked();
    const other = system.spawn(obedient);
    const asking = ref.ask(() => (ctx) => ctx.forward(other, (theirs) => theirs.reply(theirs.name)));

    await expect(asking).resolves.toBe(other.name);
  });

  it('is not available to a new instance', async () => {
    const { system } = testSystem();
    const seen: unknown[] = [];
    const behavior = Behavior.setup<string>((ctx) => {
      seen.push(['setup', ctx.sender]);
      return Behavior.receive<string>(() => {
        throw new Error('restart me');
      }).onSignal((own, signal) => {
        if (signal instanceof PostRestart) seen.push(['PostRestart', own.sender]);
      });
    });
    const sender = system.spawn(recorder());
    const ref = system.spawn(behavior);
    ref.tell('fail', sender);
    await settle();

    expect(seen).toEqual([
      ['setup', undefined],
      ['setup', undefined],
      ['PostRestart', undefined],
    ]);
  });
});
