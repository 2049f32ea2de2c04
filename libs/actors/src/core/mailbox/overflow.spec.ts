import { type Deferred, deferred } from '@roost/kernel';
import fc from 'fast-check';
import { recorder, settle, testSystem } from '../actor-system.fixture.js';
import { ActorCell } from '../cell/actor-cell.js';
import { Behavior } from '../behavior.js';
import { MailboxFullError } from '../errors/mailbox-full.error.js';
import { UndeliveredError } from '../errors/undelivered.error.js';
import { Props } from '../props.js';
import { PostStop } from '../signals.js';
import { Kill, PoisonPill, Resume, Suspend } from '../system-messages.js';
import { bounded, Overflow } from './mailbox-options.js';

/** An actor with a bounded mailbox that is suspended until `ref.tell(Resume)`. */
function suspended(capacity: number, overflow: Overflow) {
  const test = testSystem();
  const handled: unknown[] = [];
  const ref = test.system.spawn(Props.of(recorder(handled), { mailbox: bounded(capacity, overflow) }), 'small');
  ref.tell(Suspend);
  return { ...test, ref, handled };
}

/** Records under `name` whether the offer was accepted or rejected. */
const track = (log: string[], name: string, offer: Promise<void>): Promise<void> =>
  offer.then(
    () => void log.push(`${name} taken`),
    (error: unknown) => void log.push(`${name} ${error instanceof UndeliveredError ? error.reason : String(error)}`),
  );

const reasons = (letters: readonly { message: unknown; reason: string }[]) =>
  letters.map(({ message, reason }) => [message, reason]);

describe('a full mailbox', () => {
  it('drops the newest message with DropNewest', async () => {
    const { ref, handled, deadLetters } = suspended(2, Overflow.DropNewest);

    for (const n of [1, 2, 3, 4]) ref.tell(n);
    ref.tell(Resume);
    await settle();

    expect(handled).toEqual([1, 2]);
    expect(reasons(deadLetters)).toEqual([
      [3, 'mailbox-full'],
      [4, 'mailbox-full'],
    ]);
  });

  it('drops the oldest message with DropOldest', async () => {
    const { ref, handled, deadLetters } = suspended(2, Overflow.DropOldest);

    for (const n of [1, 2, 3, 4]) ref.tell(n);
    ref.tell(Resume);
    await settle();

    expect(handled).toEqual([3, 4]);
    expect(reasons(deadLetters)).toEqual([
      [1, 'dropped-oldest'],
      [2, 'dropped-oldest'],
    ]);
  });

  it('drops messages from tell() with Backpressure', async () => {
    const { ref, handled, deadLetters } = suspended(2, Overflow.Backpressure);

    for (const n of [1, 2, 3]) ref.tell(n);
    ref.tell(Resume);
    await settle();

    expect(handled).toEqual([1, 2]);
    expect(reasons(deadLetters)).toEqual([[3, 'mailbox-full']]);
  });

  it('throws at the sender with Throw, without a dead letter', async () => {
    const { ref, handled, deadLetters } = suspended(2, Overflow.Throw);
    ref.tell(1);
    ref.tell(2);

    expect(() => ref.tell(3)).toThrow(MailboxFullError);
    expect(() => ref.tell(3)).toThrow('The mailbox of /user/small is full: 2 messages are waiting.');
    ref.tell(Resume);
    await settle();
    ref.tell(4);
    await settle();

    expect(handled).toEqual([1, 2, 4]);
    expect(deadLetters).toEqual([]);
  });

  it.each([
    [Overflow.DropNewest, UndeliveredError],
    [Overflow.Backpressure, UndeliveredError],
    [Overflow.Throw, MailboxFullError],
  ])('rejects an ask at once with %s', async (overflow, error) => {
    const { ref, clock } = suspended(1, overflow);
    ref.tell('first');

    await expect(ref.ask(() => 'second')).rejects.toThrow(error);
    expect(clock.monotonic()).toBe(0);
  });

  it('rejects the ask that is dropped as the oldest', async () => {
    const { ref } = suspended(1, Overflow.DropOldest);
    const asked = ref.ask(() => 'first');
    ref.tell('second');

    await expect(asked).rejects.toMatchObject({ reason: 'dropped-oldest' });
  });

  it('always accepts a PoisonPill, in order', async () => {
    const { ref, handled, deadLetters } = suspended(2, Overflow.DropNewest);
    ref.tell(1);
    ref.tell(2);
    ref.stop();
    ref.tell(3);
    ref.tell(Resume);
    await ref.whenTerminated();

    expect(handled).toEqual([1, 2]);
    expect(reasons(deadLetters)).toEqual([[3, 'mailbox-full']]);
  });

  it('keeps a PoisonPill when it drops the oldest, and drops the new message if nothing else is waiting', async () => {
    const { ref, handled, deadLetters } = suspended(2, Overflow.DropOldest);
    ref.tell(PoisonPill);
    ref.tell('after');
    ref.tell('the end');
    ref.tell(PoisonPill);
    await expect(ref.offer('much too late')).resolves.toBeUndefined();
    const alone = suspended(1, Overflow.DropOldest);
    alone.ref.tell(PoisonPill);
    await expect(alone.ref.offer('no room')).rejects.toMatchObject({ reason: 'mailbox-full' });
    ref.tell(Resume);
    await ref.whenTerminated();

    expect(handled).toEqual([]);
    expect(reasons(deadLetters)).toEqual([
      ['after', 'dropped-oldest'],
      ['the end', 'dropped-oldest'],
      ['much too late', 'stopped'],
    ]);
    expect(reasons(alone.deadLetters)).toEqual([['no room', 'mailbox-full']]);
  });

  it('keeps the last messages, or the first, in order for any capacity', () => {
    const overflow = fc.constantFrom(Overflow.DropNewest, Overflow.DropOldest);
    return fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 0, max: 100 }),
        overflow,
        async (size, n, how) => {
          const { ref, handled, deadLetters } = suspended(size, how);
          const sent = Array.from({ length: n }, (_, i) => i);
          for (const message of sent) ref.tell(message);
          ref.tell(Resume);
          await settle(2);
          const kept = Math.min(size, n);
          expect(handled).toEqual(how === Overflow.DropOldest ? sent.slice(n - kept) : sent.slice(0, kept));
          expect(deadLetters).toHaveLength(n - kept);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('ActorRef.offer()', () => {
  it('resolves at once when there is room', async () => {
    const { ref } = suspended(1, Overflow.Backpressure);

    await expect(ref.offer('first')).resolves.toBeUndefined();
  });

  it('waits for room with Backpressure, first come, first served', async () => {
    const { ref, handled, deadLetters } = suspended(1, Overflow.Backpressure);
    const log: string[] = [];
    const all = ['a', 'b', 'c'].map((name) => track(log, name, ref.offer(name)));
    await settle();
    expect(log).toEqual(['a taken']);

    ref.tell(Resume);
    await Promise.all(all);
    await settle();

    expect(log).toEqual(['a taken', 'b taken', 'c taken']);
    expect(handled).toEqual(['a', 'b', 'c']);
    expect(deadLetters).toEqual([]);
  });

  it('admits as many messages as there is room for, while a handler is still running', async () => {
    const { system } = testSystem();
    const gates: Deferred<void>[] = [];
    const behavior = Behavior.receive(() => {
      const one = deferred();
      gates.push(one);
      return one.promise;
    });
    const ref = system.spawn(Props.of(behavior, { mailbox: bounded(3, Overflow.Backpressure) }));
    const log: string[] = [];
    ref.tell('handled');
    await settle();
    for (const name of ['a', 'b', 'c', 'd', 'e']) void track(log, name, ref.offer(name));
    await settle();
    expect(log).toEqual(['a taken', 'b taken', 'c taken']);

    gates[0]!.resolve();
    await settle();
    expect(log).toEqual(['a taken', 'b taken', 'c taken', 'd taken']);
    gates[1]!.resolve();
    await settle();
    expect(log).toEqual(['a taken', 'b taken', 'c taken', 'd taken', 'e taken']);
  });

  it('is not overtaken by tell(), which is refused while offers wait', async () => {
    const { ref, handled, deadLetters } = suspended(2, Overflow.Backpressure);
    ref.tell('a');
    ref.tell('b');
    const waiting = ref.offer('c');
    ref.tell('d');
    ref.tell(Resume);
    await waiting;
    await settle();
    ref.tell('e');
    await settle();

    expect(handled).toEqual(['a', 'b', 'c', 'e']);
    expect(reasons(deadLetters)).toEqual([['d', 'mailbox-full']]);
  });

  it('is not overtaken by messages that a handler sends before the offers are admitted', async () => {
    const { system, deadLetters } = testSystem();
    const handled: string[] = [];
    const behavior = Behavior.receive<string>((ctx, message) => {
      handled.push(message);
      if (message === 'a') ctx.self.tell('own');
    });
    const ref = system.spawn(Props.of(behavior, { mailbox: bounded(2, Overflow.Backpressure) }));
    ref.tell(Suspend);
    ref.tell('a');
    ref.tell('b');
    const waiting = ref.offer('c');
    ref.tell(Resume);
    await waiting;
    await settle();

    expect(handled).toEqual(['a', 'b', 'c']);
    expect(reasons(deadLetters)).toEqual([['own', 'mailbox-full']]);
  });

  it('is not overtaken by a PoisonPill', async () => {
    const { ref, handled } = suspended(1, Overflow.Backpressure);
    const log: string[] = [];
    void track(log, 'a', ref.offer('a'));
    void track(log, 'b', ref.offer('b'));
    ref.stop();
    void track(log, 'c', ref.offer('c'));
    ref.tell(Resume);
    await ref.whenTerminated();
    await settle();

    expect(handled).toEqual(['a', 'b']);
    expect(log).toEqual(['a taken', 'b taken', 'c stopped']);
  });

  it('rejects waiting offers when the actor stops without draining, and they become dead letters', async () => {
    const { ref, handled, deadLetters } = suspended(1, Overflow.Backpressure);
    const log: string[] = [];
    for (const name of ['a', 'b', 'c']) void track(log, name, ref.offer(name));
    ref.tell(Kill);
    await ref.whenTerminated();
    await settle();

    expect(handled).toEqual([]);
    expect(log).toEqual(['a taken', 'b stopped', 'c stopped']);
    expect(reasons(deadLetters)).toEqual([
      ['a', 'stopped'],
      ['b', 'stopped'],
      ['c', 'stopped'],
    ]);
  });

  it('is cancelled by its AbortSignal, and the message is not delivered', async () => {
    const { ref, handled, deadLetters } = suspended(1, Overflow.Backpressure);
    const abort = new AbortController();
    await ref.offer('a');
    const given = ref.offer('b', { signal: abort.signal });
    const patient = ref.offer('c');
    abort.abort(new Error('enough'));

    await expect(given).rejects.toThrow('enough');
    ref.tell(Resume);
    await patient;
    await settle();
    expect(handled).toEqual(['a', 'c']);
    expect(deadLetters).toEqual([]);
  });

  it('reopens the mailbox when the last waiting offer is cancelled', async () => {
    const { ref, handled, deadLetters } = suspended(1, Overflow.Backpressure);
    const abort = new AbortController();
    await ref.offer('a');
    const given = ref.offer('b', { signal: abort.signal });
    abort.abort();
    await expect(given).rejects.toMatchObject({ name: 'AbortError' });

    ref.tell(Resume);
    await settle();
    ref.tell('c');
    await settle();

    expect(handled).toEqual(['a', 'c']);
    expect(deadLetters).toEqual([]);
  });

  it('admits a PoisonPill when the offers before it are cancelled', async () => {
    const { ref, handled } = suspended(1, Overflow.Backpressure);
    const abort = new AbortController();
    await ref.offer('a');
    const given = ref.offer('b', { signal: abort.signal });
    ref.stop();
    abort.abort();
    await expect(given).rejects.toMatchObject({ name: 'AbortError' });
    ref.tell(Resume);
    await ref.whenTerminated();

    expect(handled).toEqual(['a']);
  });

  it('keeps the mailbox open when it is aborted before it waits', async () => {
    const { ref, handled } = suspended(1, Overflow.Backpressure);
    ref.tell('a');
    await expect(ref.offer('b', { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
    ref.tell(Resume);
    await settle();
    ref.tell('c');
    await settle();

    expect(handled).toEqual(['a', 'c']);
  });

  it.each([Overflow.Backpressure, Overflow.DropNewest])('rejects with an already aborted signal (%s)', async (how) => {
    const { ref, handled } = suspended(1, how);
    ref.tell('a');
    const signal = AbortSignal.abort(new Error('no'));

    await expect(ref.offer('b', { signal })).rejects.toThrow('no');
    ref.tell(Resume);
    await settle();
    await expect(ref.offer('c', { signal })).rejects.toThrow('no');
    await settle();
    expect(handled).toEqual(['a']);
  });

  it('removes its listener from the signal when it settles', async () => {
    const { ref } = suspended(1, Overflow.Backpressure);
    const { signal } = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners++;
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners--;
      removeEventListener.apply(signal, args);
    };
    await ref.offer('a', { signal });
    expect(listeners).toBe(0);
    const taken = ref.offer('b', { signal });
    expect(listeners).toBe(1);
    ref.tell(Resume);
    await taken;
    expect(listeners).toBe(0);

    ref.tell(Suspend);
    await ref.offer('c');
    const refused = ref.offer('d', { signal });
    expect(listeners).toBe(1);
    ref.tell(Kill);
    await expect(refused).rejects.toThrow(UndeliveredError);
    expect(listeners).toBe(0);
  });

  it.each([
    [Overflow.DropNewest, UndeliveredError],
    [Overflow.Throw, MailboxFullError],
  ])('rejects when the mailbox is full with %s', async (how, error) => {
    const { ref } = suspended(1, how);
    ref.tell('a');

    await expect(ref.offer('b')).rejects.toThrow(error);
  });

  it('replaces the oldest message with DropOldest', async () => {
    const { ref, handled } = suspended(1, Overflow.DropOldest);
    ref.tell('a');

    await expect(ref.offer('b')).resolves.toBeUndefined();
    ref.tell(Resume);
    await settle();
    expect(handled).toEqual(['b']);
  });

  it('rejects for an actor that is stopping or has stopped', async () => {
    const { system, deadLetters } = testSystem();
    const stopping = deferred();
    const behavior = Behavior.receive(() => undefined).onSignal((_ctx, signal) => {
      if (signal instanceof PostStop) return stopping.promise;
    });
    const ref = system.spawn(Props.of(behavior, { mailbox: bounded(1, Overflow.Backpressure) }));
    ref.stop();
    await settle();
    await expect(ref.offer('while ending')).rejects.toThrow('the actor is stopping or has stopped');
    stopping.resolve();
    await ref.whenTerminated();
    await expect(ref.offer('after')).rejects.toThrow('the actor is stopping or has stopped');

    expect(reasons(deadLetters)).toEqual([
      ['while ending', 'stopped'],
      ['after', 'stopped'],
    ]);
  });

  it('delivers every message exactly once and in order, with many waiting and some cancelled offers', () => {
    const plan = fc.array(fc.record({ giveUp: fc.boolean(), async: fc.boolean() }), { minLength: 1, maxLength: 30 });
    return fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), plan, async (capacity, offers) => {
        const { system } = testSystem();
        const handled: number[] = [];
        const behavior = Behavior.receive<number>((_ctx, n) => {
          handled.push(n);
          return offers[n]!.async ? Promise.resolve() : undefined;
        });
        const ref = system.spawn(Props.of(behavior, { mailbox: bounded(capacity, Overflow.Backpressure) }));
        ref.tell(Suspend);
        const taken = await Promise.all(
          offers.map(async ({ giveUp }, n) => {
            const abort = new AbortController();
            const offer = ref.offer(n, { signal: abort.signal }).then(
              () => n,
              () => -1,
            );
            if (n === offers.length - 1) ref.tell(Resume);
            else if (giveUp) abort.abort();
            return offer;
          }),
        );
        await settle(2);
        expect(handled).toEqual(taken.filter((n) => n >= 0));
        const cell = ref as unknown as ActorCell;
        expect([cell.waiting, cell.capacity]).toEqual([0, capacity]);
      }),
      { numRuns: 100 },
    );
  });
});
