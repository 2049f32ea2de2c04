import { deferred } from '@roost/kernel';
import { advance, settle, testSystem } from '../actor-system.fixture.js';
import type { ActorContext } from '../actor-context.js';
import { Behavior, type BehaviorResult } from '../behavior.js';
import { InvalidActorOptionError } from '../errors/invalid-actor-option.error.js';
import { Props } from '../props.js';
import { ReceiveTimeout } from '../signals.js';
import { oneForOne } from '../supervision/one-for-one.strategy.js';
import { Directive } from '../supervision/directive.js';
import { Resume, Suspend } from '../system-messages.js';

type Message = (ctx: ActorContext<Message>) => BehaviorResult<Message>;
const nothing: Message = () => undefined;

/** An actor with a receive timeout that records the times of the signal. */
async function withTimeout(timeoutMs: number | null, options = {}) {
  const test = testSystem();
  const { clock, system } = test;
  const timeouts: number[] = [];
  const behavior = Behavior.setup<Message>((ctx) => {
    ctx.setReceiveTimeout(timeoutMs);
    return Behavior.receive<Message>((own, message) => message(own)).onSignal((_ctx, signal) => {
      if (signal instanceof ReceiveTimeout) timeouts.push(clock.monotonic());
    });
  });
  const ref = system.spawn(Props.of(behavior, options), 'idle');
  await settle();
  return { ...test, ref, timeouts };
}

describe('ctx.setReceiveTimeout', () => {
  it('sends ReceiveTimeout after a period without messages, and again after each further period', async () => {
    const { clock, timeouts } = await withTimeout(100);
    await advance({ clock }, 350);

    expect(timeouts).toEqual([100, 200, 300]);
  });

  it('counts from the last message', async () => {
    const { clock, ref, timeouts } = await withTimeout(100);
    await advance({ clock }, 70);
    ref.tell(nothing);
    await advance({ clock }, 60);
    ref.tell(nothing, ref);
    await advance({ clock }, 99);
    expect(timeouts).toEqual([]);
    await advance({ clock }, 1);
    expect(timeouts).toEqual([230]);
  });

  it('is reset by messages sent with ask', async () => {
    const { clock, ref, timeouts } = await withTimeout(100);
    await advance({ clock }, 70);
    await ref.ask((replyTo) => () => replyTo.tell('yes'));
    await advance({ clock }, 99);
    expect(timeouts).toEqual([]);
    await advance({ clock }, 1);
    expect(timeouts).toEqual([170]);
  });

  it("is not reset by messages of the actor's own timers", async () => {
    const { clock, ref, timeouts } = await withTimeout(100);
    ref.tell((ctx) => ctx.timers.fixedRate('key', nothing, 30));
    await settle();
    await advance({ clock }, 210);

    expect(timeouts).toEqual([100, 200]);
  });

  it('is not reset by timer messages with asynchronous handlers either', async () => {
    const { clock, ref, timeouts } = await withTimeout(100);
    ref.tell((ctx) => ctx.timers.fixedRate('key', async () => undefined, 30));
    await settle();
    await advance({ clock }, 210);

    expect(timeouts).toEqual([100, 200]);
  });

  it('is not reset by signals', async () => {
    const { clock, ref, system, timeouts } = await withTimeout(100);
    const other = system.spawn(Behavior.receive(() => undefined));
    ref.tell((ctx) => ctx.watch(other));
    await settle();
    await advance({ clock }, 70);
    other.stop();
    await settle();
    await advance({ clock }, 30);

    expect(timeouts).toEqual([100]);
  });

  it('does not fire while an asynchronous handler is running, and counts from when it has settled', async () => {
    const { clock, ref, timeouts } = await withTimeout(100);
    const busy = deferred();
    ref.tell(() => busy.promise);
    await advance({ clock }, 450);
    busy.resolve();
    await settle();
    await advance({ clock }, 99);
    expect(timeouts).toEqual([]);
    await advance({ clock }, 1);
    expect(timeouts).toEqual([550]);
  });

  it('counts from when an asynchronous handler has failed, if the actor continues', async () => {
    const supervision = oneForOne({ decide: () => Directive.Resume });
    const { clock, ref, timeouts } = await withTimeout(100, { supervision });
    const busy = deferred();
    ref.tell(() => busy.promise);
    await advance({ clock }, 450);
    busy.reject(new Error('in vain'));
    await settle();
    await advance({ clock }, 99);
    expect(timeouts).toEqual([]);
    await advance({ clock }, 1);
    expect(timeouts).toEqual([550]);
  });

  it('does not fire while messages are waiting', async () => {
    const { clock, ref, timeouts } = await withTimeout(100);
    ref.tell(Suspend);
    ref.tell(nothing);
    await advance({ clock }, 450);
    ref.tell(Resume);
    await settle();
    await advance({ clock }, 99);
    expect(timeouts).toEqual([]);
    await advance({ clock }, 1);
    expect(timeouts).toEqual([550]);
  });

  it('can be changed and turned off', async () => {
    const { clock, ref, timeouts } = await withTimeout(100);
    ref.tell((ctx) => ctx.setReceiveTimeout(20));
    await settle();
    await advance({ clock }, 50);
    expect(timeouts).toEqual([20, 40]);
    ref.tell((ctx) => ctx.setReceiveTimeout(null));
    ref.tell((ctx) => ctx.setReceiveTimeout(null));
    await settle();
    await advance({ clock }, 1_000);

    expect(timeouts).toEqual([20, 40]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends when the actor stops', async () => {
    const { clock, ref } = await withTimeout(100);
    ref.stop();
    await ref.whenTerminated();
    await settle();

    expect(clock.pendingTimers).toBe(0);
  });

  it('ends with the instance at a restart, and can be set again by its setup', async () => {
    const { clock, ref, timeouts } = await withTimeout(100);
    await advance({ clock }, 50);
    ref.tell(() => {
      throw new Error('restart me');
    });
    await settle();
    await advance({ clock }, 99);
    expect(timeouts).toEqual([]);
    await advance({ clock }, 101);
    expect(timeouts).toEqual([150, 250]);
  });

  it('is ignored by an actor without a signal handler', async () => {
    const { system, clock, deadLetters, logger } = testSystem();
    const ref = system.spawn(Behavior.receive<Message>((ctx, message) => message(ctx)));
    ref.tell((ctx) => ctx.setReceiveTimeout(10));
    await settle();
    await advance({ clock }, 100);

    expect([deadLetters, logger.lines]).toEqual([[], []]);
  });

  it('lets its handler stop an idle actor (passivation)', async () => {
    const { system, clock } = testSystem();
    const ref = system.spawn(
      Behavior.setup((ctx) => {
        ctx.setReceiveTimeout(1_000);
        return Behavior.receive(() => undefined).onSignal((_ctx, signal) =>
          signal instanceof ReceiveTimeout ? Behavior.stopped() : Behavior.same(),
        );
      }),
    );
    await advance({ clock }, 1_000);
    await ref.whenTerminated();
    await settle();

    expect(clock.pendingTimers).toBe(0);
  });

  it.each([0, -1, NaN, Infinity, '5', undefined])('rejects %p', async (bad) => {
    const { ref } = await withTimeout(null);
    const asked = ref.ask(() => (ctx) => ctx.setReceiveTimeout(bad as number));

    await expect(asked).rejects.toThrow(InvalidActorOptionError);
  });
});
