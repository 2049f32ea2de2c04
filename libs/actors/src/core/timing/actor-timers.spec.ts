import { deferred } from '@roost/kernel';
import { internalsOf } from '../internals.js';
import { advance, settle, testSystem } from '../actor-system.fixture.js';
import type { ActorContext } from '../actor-context.js';
import type { ActorRef } from '../actor-ref.js';
import { Behavior, type BehaviorResult } from '../behavior.js';
import { InvalidActorOptionError } from '../errors/invalid-actor-option.error.js';
import { bounded, Overflow } from '../mailbox/mailbox-options.js';
import { Props } from '../props.js';
import { PostStop, PreRestart } from '../signals.js';
import { Directive } from '../supervision/directive.js';
import { oneForOne } from '../supervision/one-for-one.strategy.js';
import { Kill, Resume, Suspend } from '../system-messages.js';
import type { ActorTimers } from './actor-timers.js';

type Message = string | ((ctx: ActorContext<Message>) => BehaviorResult<Message>);

/** Calls messages that are functions, and records strings as `text@time`. */
function timed(options = {}) {
  const test = testSystem();
  const { clock, system } = test;
  const log: string[] = [];
  const behavior = Behavior.receive<Message>((ctx, message) => {
    if (typeof message === 'function') return message(ctx);
    log.push(`${message}@${clock.monotonic()}`);
  });
  const ref: ActorRef<Message> = system.spawn(Props.of(behavior, options), 'timed');
  const withTimers = async (use: (timers: ActorTimers<Message>) => void): Promise<void> => {
    ref.tell((ctx) => use(ctx.timers));
    await settle();
  };
  return { ...test, ref, log, withTimers };
}

describe('timers.once', () => {
  it('sends its message once, never early', async () => {
    const { clock, log, withTimers } = timed();
    await withTimers((timers) => timers.once('key', 'tick', 100));

    await advance({ clock }, 99);
    expect(log).toEqual([]);
    await advance({ clock }, 1_000);
    expect(log).toEqual(['tick@100']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is active until its message is handled', async () => {
    const { clock, ref, withTimers } = timed();
    const seen: boolean[] = [];
    const look = (timers: ActorTimers<Message>): void => void seen.push(timers.isActive('key'));
    await withTimers((timers) => timers.once('key', (ctx) => look(ctx.timers), 100));
    await withTimers(look);
    ref.tell(Suspend);
    await advance({ clock }, 100);
    ref.tell(look as never);
    ref.tell(Resume);
    await settle();

    expect(seen).toEqual([true, false]);
  });

  it('accepts a delay of 0', async () => {
    const { clock, log, withTimers } = timed();
    await withTimers((timers) => timers.once('key', 'tick', 0));
    await advance({ clock }, 0);

    expect(log).toEqual(['tick@0']);
  });
});

describe('timers.fixedRate', () => {
  it('sends its message every period, after the initial delay', async () => {
    const { clock, log, withTimers } = timed();
    await withTimers((timers) => timers.fixedRate('key', 'tick', 100, 30));
    await advance({ clock }, 330);

    expect(log).toEqual(['tick@30', 'tick@130', 'tick@230', 'tick@330']);
  });

  it('has at most one message waiting, and skips ticks that the actor is too slow for', async () => {
    const { clock, ref, log, withTimers } = timed();
    await withTimers((timers) => timers.fixedRate('key', 'tick', 100));
    ref.tell(Suspend);
    await advance({ clock }, 350);
    ref.tell(Resume);
    await settle();
    await advance({ clock }, 100);

    expect(log).toEqual(['tick@350', 'tick@400']);
  });

  it('skips ticks that the process is too slow for', async () => {
    const { system, clock, log, withTimers } = timed();
    await withTimers((timers) => timers.fixedRate('key', 'tick', 100));
    // Simulates a blocked event loop: the timer fires at 350 instead of 100.
    const real = clock.monotonic.bind(clock);
    let lag = 250;
    clock.monotonic = () => real() + lag;
    await advance({ clock }, 100);
    lag = 0;
    expect(internalsOf(system).alarms.size).toBe(1);
    expect(log).toEqual(['tick@350']);
    await advance({ clock }, 400);

    expect(log).toEqual(['tick@350', 'tick@400', 'tick@500']);
  });
});

describe('timers.fixedDelay', () => {
  it('sends its message repeatedly, after the initial delay', async () => {
    const { clock, log, withTimers } = timed();
    await withTimers((timers) => timers.fixedDelay('key', 'tick', 100, 0));
    await advance({ clock }, 250);

    expect(log).toEqual(['tick@0', 'tick@100', 'tick@200']);
  });

  it('counts the delay from when the message was handled, not from when it was sent', async () => {
    const { clock, ref, log, withTimers } = timed();
    await withTimers((timers) => timers.fixedDelay('key', 'tick', 100));
    ref.tell(Suspend);
    await advance({ clock }, 170);
    ref.tell(Resume);
    await settle();
    await advance({ clock }, 200);

    expect(log).toEqual(['tick@170', 'tick@270', 'tick@370']);
  });

  it('counts the delay from when an asynchronous handler has settled', async () => {
    const { clock, withTimers } = timed();
    const log: string[] = [];
    let current = deferred();
    await withTimers((timers) =>
      timers.fixedDelay(
        'key',
        async () => {
          log.push(`begin@${clock.monotonic()}`);
          current = deferred();
          await current.promise;
          log.push(`end@${clock.monotonic()}`);
        },
        100,
      ),
    );
    await advance({ clock }, 450);
    current.resolve();
    await settle();
    await advance({ clock }, 99);
    expect(log).toEqual(['begin@100', 'end@450']);
    await advance({ clock }, 1);
    expect(log).toEqual(['begin@100', 'end@450', 'begin@550']);
  });

  it('continues when the handler of its message has failed and the actor is resumed', async () => {
    const { clock, withTimers } = timed({ supervision: oneForOne({ decide: () => Directive.Resume }) });
    let ticks = 0;
    await withTimers((timers) =>
      timers.fixedDelay(
        'key',
        () => {
          ticks++;
          if (ticks % 2 === 0) return Promise.reject(new Error('async'));
          throw new Error('sync');
        },
        100,
      ),
    );
    await advance({ clock }, 450);

    expect(ticks).toBe(4);
  });
});

describe('an actor timer', () => {
  it('is replaced by another with its key, even if its message is waiting in the mailbox', async () => {
    const { clock, ref, log, withTimers } = timed();
    await withTimers((timers) => {
      timers.once('key', 'old', 10);
      timers.once('other', 'kept', 10);
    });
    ref.tell((ctx) => ctx.timers.once('key', 'new', 50));
    ref.tell(Suspend);
    await advance({ clock }, 20);
    ref.tell(Resume);
    await settle();
    await advance({ clock }, 100);

    expect(log).toEqual(['kept@20', 'new@70']);
  });

  it.each(['once', 'fixedDelay', 'fixedRate'] as const)(
    '(%s) delivers nothing after cancel, even if its message is waiting in the mailbox',
    async (kind) => {
      const { clock, ref, log, deadLetters, withTimers } = timed();
      await withTimers((timers) => timers[kind]('key', 'tick', 10));
      ref.tell(Suspend);
      // Runs before the tick in the mailbox.
      ref.tell((ctx) => {
        ctx.timers.cancel('key');
        ctx.timers.cancel('key');
        expect(ctx.timers.isActive('key')).toBe(false);
      });
      await advance({ clock }, 10);
      ref.tell(Resume);
      await settle();
      await advance({ clock }, 1_000);

      expect([log, deadLetters, clock.pendingTimers]).toEqual([[], [], 0]);
    },
  );

  it('accepts a key of any type', async () => {
    const { clock, log, withTimers } = timed();
    const keys = ['a', 1, Symbol('a'), {}, {}];
    await withTimers((timers) => keys.forEach((key, n) => timers.once(key, `tick ${n}`, 10)));
    await withTimers((timers) => timers.cancel(keys[3]!));
    await advance({ clock }, 10);

    expect(log).toEqual(['tick 0@10', 'tick 1@10', 'tick 2@10', 'tick 4@10']);
  });

  it('is cancelled with all others by cancelAll()', async () => {
    const { clock, log, withTimers } = timed();
    await withTimers((timers) => {
      timers.once('a', 'a', 10);
      timers.fixedRate('b', 'b', 10);
      timers.cancelAll();
    });
    await advance({ clock }, 100);

    expect([log, clock.pendingTimers]).toEqual([[], 0]);
  });

  it('always fits into a full mailbox', async () => {
    const { clock, ref, log, withTimers } = timed({ mailbox: bounded(1, Overflow.DropNewest) });
    await withTimers((timers) => timers.once('key', 'tick', 10));
    ref.tell(Suspend);
    ref.tell('first');
    await advance({ clock }, 10);
    ref.tell(Resume);
    await settle();

    expect(log).toEqual(['first@10', 'tick@10']);
  });

  it('can be set again by the handler of its own message', async () => {
    const { clock, withTimers } = timed();
    const times: number[] = [];
    const again = (ctx: ActorContext<Message>): void => {
      times.push(clock.monotonic());
      ctx.timers.once('key', again, 10);
    };
    await withTimers((timers) => timers.once('key', again, 10));
    await advance({ clock }, 35);

    expect(times).toEqual([10, 20, 30]);
  });

  it('can be cancelled in the handler of its own message', async () => {
    const { clock, withTimers } = timed();
    for (const kind of ['fixedRate', 'fixedDelay'] as const) {
      let ticks = 0;
      await withTimers((timers) =>
        timers[kind](
          kind,
          (ctx) => {
            if (++ticks === 2) ctx.timers.cancel(kind);
          },
          10,
        ),
      );
      await advance({ clock }, 100);
      expect(ticks).toBe(2);
    }
    expect(clock.pendingTimers).toBe(0);
  });

  it.each(['once', 'fixedDelay', 'fixedRate'] as const)('(%s) ends when the actor stops', async (kind) => {
    const { clock, ref, log, deadLetters, withTimers } = timed();
    await withTimers((timers) => timers[kind]('key', 'tick', 10));
    ref.stop();
    await ref.whenTerminated();
    await advance({ clock }, 1_000);

    expect([log, deadLetters, clock.pendingTimers]).toEqual([[], [], 0]);
  });

  it('ends when the actor is killed, and its waiting message is not a dead letter', async () => {
    const { clock, ref, log, deadLetters, withTimers } = timed();
    await withTimers((timers) => timers.fixedRate('key', 'tick', 10));
    ref.tell(Suspend);
    await advance({ clock }, 10);
    ref.tell(Kill);
    await ref.whenTerminated();
    await advance({ clock }, 1_000);

    expect([log, deadLetters, clock.pendingTimers]).toEqual([[], [], 0]);
  });

  it('ends with its instance at a restart, and its waiting message is not handled', async () => {
    const { clock, ref, log, withTimers } = timed();
    await withTimers((timers) => timers.fixedRate('key', 'tick', 10));
    ref.tell(Suspend);
    ref.tell(() => {
      throw new Error('restart me');
    });
    await advance({ clock }, 10);
    ref.tell('after');
    ref.tell(Resume);
    await settle();
    await advance({ clock }, 1_000);

    expect([log, clock.pendingTimers]).toEqual([['after@10'], 0]);
  });

  it('never fires when set during a stop, or by an instance that is being replaced', async () => {
    const { system, clock } = testSystem();
    const log: string[] = [];
    const behavior = Behavior.receive<Message>((ctx, message) => {
      if (typeof message === 'function') return message(ctx);
      log.push(message);
    }).onSignal((ctx, signal) => {
      if (!(signal instanceof PostStop || signal instanceof PreRestart)) return;
      ctx.timers.fixedRate('key', 'tick', 10);
      ctx.setReceiveTimeout(10);
    });
    const ref = system.spawn(behavior);
    ref.tell(() => {
      throw new Error('restart me');
    });
    await settle();
    await advance({ clock }, 100);
    expect([log, internalsOf(system).alarms.size]).toEqual([[], 0]);

    ref.stop();
    await ref.whenTerminated();
    expect(internalsOf(system).alarms.size).toBe(0);
    await advance({ clock }, 100);
    expect([log, clock.pendingTimers]).toEqual([[], 0]);
  });

  it.each([-1, NaN, Infinity, '5' as unknown as number])('rejects a delay of %p', async (bad) => {
    const { withTimers } = timed();
    const refused: string[] = [];
    await withTimers((timers) => {
      const attempts = [
        () => timers.once('key', 'tick', bad),
        () => timers.fixedDelay('key', 'tick', bad),
        () => timers.fixedDelay('key', 'tick', 10, bad),
        () => timers.fixedDelay('key', 'tick', 0),
        () => timers.fixedRate('key', 'tick', bad),
        () => timers.fixedRate('key', 'tick', 10, bad),
        () => timers.fixedRate('key', 'tick', 0),
      ];
      for (const attempt of attempts) {
        try {
          attempt();
        } catch (error) {
          if (error instanceof InvalidActorOptionError) refused.push(error.option);
        }
      }
      expect(timers.isActive('key')).toBe(false);
    });

    expect(refused).toEqual([
      'timers.once(delayMs)',
      'timers.fixedDelay(delayMs)',
      'timers.fixedDelay(initialDelayMs)',
      'timers.fixedDelay(delayMs)',
      'timers.fixedRate(periodMs)',
      'timers.fixedRate(initialDelayMs)',
      'timers.fixedRate(periodMs)',
    ]);
  });
});
