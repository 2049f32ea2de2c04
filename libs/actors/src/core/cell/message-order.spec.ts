import { deferred } from '@roost/kernel';
// Imported, because fake timers of a test runner may have replaced the global.
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { settle, testSystem } from '../actor-system.fixture.js';
import type { ActorContext } from '../actor-context.js';
import { Behavior, type BehaviorResult } from '../behavior.js';
import { MailboxFullError } from '../errors/mailbox-full.error.js';
import { bounded, type MailboxOptions, Overflow, unbounded } from '../mailbox/mailbox-options.js';
import { Props } from '../props.js';
import { PostStop, PreRestart } from '../signals.js';
import { Directive } from '../supervision/directive.js';
import { oneForOne } from '../supervision/one-for-one.strategy.js';
import { Kill, PoisonPill, Resume, Suspend, type SystemMessage } from '../system-messages.js';

const KINDS = ['sync', 'microtask', 'microtasks', 'turn', 'throw', 'reject', 'reject-later', 'unhandled'] as const;
type Kind = (typeof KINDS)[number];

interface Numbered {
  readonly sender: number;
  readonly n: number;
  readonly kind: Kind;
}

/** Actions of a handler, by kind of message. */
async function later(kind: Kind): Promise<void> {
  if (kind === 'turn' || kind === 'reject-later') await turn();
  if (kind === 'microtasks') for (let i = 0; i < 5; i++) await Promise.resolve();
  if (kind.startsWith('reject')) throw new Error(kind);
}

/** An actor that records its messages and whether two of its handlers ever overlapped. */
function watched() {
  const handled: Numbered[] = [];
  const overlaps: string[] = [];
  let running: string | undefined;
  const enter = (what: string): void => {
    if (running !== undefined) overlaps.push(`${what} during ${running}`);
    running = what;
  };
  const leave = (): void => void (running = undefined);
  const behavior = Behavior.setup<Numbered>(() => {
    enter('setup');
    leave();
    return Behavior.receive<Numbered>((_ctx, message) => {
      const { kind } = message;
      enter(kind);
      if (kind === 'unhandled') {
        leave();
        return Behavior.unhandled();
      }
      handled.push(message);
      if (kind === 'sync') return leave();
      if (kind === 'throw') {
        leave();
        throw new Error(kind);
      }
      return later(kind).finally(leave);
    }).onSignal(async (_ctx, signal) => {
      enter(signal.constructor.name);
      await Promise.resolve();
      leave();
    });
  });
  return { behavior, handled, overlaps };
}

/** For each sender, the numbers of its messages in list order. */
const bySender = (messages: readonly Numbered[]): number[][] => {
  const numbers: number[][] = [];
  for (const { sender, n } of messages) (numbers[sender] ??= []).push(n);
  return numbers;
};

const isAscending = (numbers: readonly number[]): boolean => numbers.every((n, i) => i === 0 || n > numbers[i - 1]!);

interface Step {
  readonly sender: number;
  readonly kind: Kind;
  /** Pause before the message. */
  readonly pause: 'none' | 'microtask' | 'turn';
}

const mailboxes: Record<string, MailboxOptions> = {
  unbounded: unbounded(),
  'drop newest': bounded(4, Overflow.DropNewest),
  'drop oldest': bounded(4, Overflow.DropOldest),
  throw: bounded(4, Overflow.Throw),
  backpressure: bounded(4, Overflow.Backpressure),
};

const plan = fc.record({
  steps: fc.array(
    fc.record<Step>({
      sender: fc.integer({ min: 0, max: 3 }),
      kind: fc.constantFrom(...KINDS, 'sync', 'sync', 'microtask'),
      pause: fc.constantFrom('none', 'none', 'none', 'microtask', 'turn'),
    }),
    { maxLength: 60, size: 'max' },
  ),
  mailbox: fc.constantFrom(...Object.keys(mailboxes)),
  directive: fc.constantFrom(Directive.Resume, Directive.Restart, Directive.Stop),
  end: fc.constantFrom<readonly (SystemMessage | 'suspend')[]>([PoisonPill], [Kill], ['suspend', Kill], []),
  endAt: fc.integer({ min: 0, max: 60 }),
});

describe('messages to one actor', () => {
  it('are handled one at a time, in order per sender, and none is lost without a dead letter', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async ({ steps, mailbox, directive, end, endAt }) => {
        const { system, deadLetters } = testSystem({ logDeadLetters: 0 });
        const { behavior, handled, overlaps } = watched();
        const supervision = oneForOne({ decide: () => directive, maxRetries: Infinity });
        const ref = system.spawn(Props.of(behavior, { mailbox: mailboxes[mailbox]!, supervision }));
        const offers: Promise<unknown>[] = [];
        let refused = 0;
        let sent = 0;
        for (const [n, { sender, kind, pause }] of steps.entries()) {
          if (pause !== 'none') await (pause === 'turn' ? turn() : Promise.resolve());
          if (n === endAt) {
            for (const message of end) ref.tell(message === 'suspend' ? Suspend : message);
          }
          sent++;
          const message = { sender, n, kind };
          // One sender waits for room. Its messages must keep their order too.
          if (mailbox === 'backpressure' && sender === 0) {
            offers.push(ref.offer(message).catch((error: unknown) => error));
            continue;
          }
          try {
            ref.tell(message);
          } catch (error) {
            expect(error).toBeInstanceOf(MailboxFullError);
            refused++;
          }
        }
        ref.stop();
        await ref.whenTerminated();
        await Promise.all(offers);
        await settle(2);

        expect(overlaps).toEqual([]);
        for (const numbers of bySender(handled)) if (numbers) expect(isAscending(numbers)).toBe(true);
        expect(new Set(handled.map(({ n }) => n)).size).toBe(handled.length);
        expect(handled.length + deadLetters.length + refused).toBe(sent);
      }),
      { numRuns: 300 },
    );
  }, 30_000);

  it('keep their order between actors that send to each other', async () => {
    const kinds = fc.array(fc.constantFrom<Kind>('sync', 'microtask', 'turn'), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.array(kinds, { minLength: 1, maxLength: 4 }), async (senders) => {
        const { system, deadLetters } = testSystem();
        const { behavior, handled, overlaps } = watched();
        const target = system.spawn(behavior);
        const total = senders.reduce((sum, { length }) => sum + length, 0);
        senders.forEach((messages, sender) => {
          const from = system.spawn(
            Behavior.receive<number>(async (ctx, n) => {
              const kind = messages[n]!;
              if (kind !== 'sync') await later(kind);
              target.tell({ sender, n, kind }, ctx.self);
              if (n + 1 < messages.length) ctx.self.tell(n + 1);
            }),
          );
          from.tell(0);
        });
        while (handled.length < total) await turn();
        expect(overlaps).toEqual([]);
        expect(bySender(handled)).toEqual(senders.map((messages) => [...messages.keys()]));
        expect(deadLetters).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it('wait for an asynchronous handler to settle, however many arrive', async () => {
    const { system } = testSystem();
    const handled: number[] = [];
    const slow = deferred();
    const ref = system.spawn(
      Behavior.receive<number>(async (_ctx, n) => {
        if (n === 0) await slow.promise;
        handled.push(n);
      }),
    );
    for (let n = 0; n < 100; n++) ref.tell(n);
    await settle();
    expect(handled).toEqual([]);
    slow.resolve();
    await settle();

    expect(handled).toEqual([...Array(100).keys()]);
  });

  it('are all accounted for when the system shuts down under load', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom<Kind>('sync', 'microtask', 'turn', 'unhandled'), { minLength: 1, maxLength: 80 }),
        fc.integer({ min: 0, max: 80 }),
        async (kinds, shutAt) => {
          const { system, deadLetters } = testSystem({ logDeadLetters: 0 });
          const workers = Array.from({ length: 3 }, () => watched());
          const refs = workers.map(({ behavior }) => system.spawn(behavior));
          let ended: Promise<unknown> | undefined;
          for (const [n, kind] of kinds.entries()) {
            if (n === shutAt) ended = system.shutdown();
            if (n % 7 === 0) await Promise.resolve();
            refs[n % 3]!.tell({ sender: n % 3, n, kind });
          }
          await (ended ?? system.shutdown());
          const letters = system.deadLetterCount;
          expect(letters).toBeGreaterThanOrEqual(deadLetters.length);
          const handled = workers.reduce((sum, worker) => sum + worker.handled.length, 0);
          expect(handled + letters).toBe(kinds.length);
          for (const { overlaps } of workers) expect(overlaps).toEqual([]);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('handlers of one actor', () => {
  type Message = (ctx: ActorContext<Message>) => BehaviorResult<Message>;

  it('do not overlap with PreRestart when the failing handler killed the actor', async () => {
    const { system } = testSystem();
    const log: string[] = [];
    const restarting = deferred();
    const behavior = Behavior.receive<Message>((ctx, message) => message(ctx)).onSignal(async (_ctx, signal) => {
      if (signal instanceof PreRestart) {
        log.push('PreRestart begins');
        await restarting.promise;
        log.push('PreRestart ends');
      }
      if (signal instanceof PostStop) log.push('PostStop');
    });
    const ref = system.spawn(behavior);
    await settle();
    ref.tell((ctx) => {
      ctx.self.tell(Kill);
      throw new Error('and fail');
    });
    await settle();
    expect(log).toEqual(['PreRestart begins']);
    restarting.resolve();
    await ref.whenTerminated();

    expect(log).toEqual(['PreRestart begins', 'PreRestart ends', 'PostStop']);
  });

  it('continue in order after Suspend and Resume from within', async () => {
    const { system } = testSystem();
    const log: string[] = [];
    const ref = system.spawn(Behavior.receive<Message>((ctx, message) => message(ctx)));
    ref.tell((ctx) => {
      ctx.self.tell(Suspend);
      log.push('a');
    });
    ref.tell(() => void log.push('b'));
    await settle();
    expect(log).toEqual(['a']);
    ref.tell(Resume);
    await settle();

    expect(log).toEqual(['a', 'b']);
  });
});

describe('ctx.pipeToSelf in message order', () => {
  it('delivers the outcome of a promise as a message while other messages are handled', async () => {
    const { system } = testSystem();
    const log: unknown[] = [];
    const work = deferred<number>();
    const ref = system.spawn(
      Behavior.receive<string>((ctx, message) => {
        log.push(message);
        if (message === 'begin') ctx.pipeToSelf(work.promise, (value) => `got ${value}`);
      }),
    );
    ref.tell('begin');
    ref.tell('meanwhile');
    await settle();
    work.resolve(42);
    await settle();

    expect(log).toEqual(['begin', 'meanwhile', 'got 42']);
  });

  it('delivers an error as a message, or fails the actor with it', async () => {
    const { system, logger } = testSystem();
    const log: unknown[] = [];
    const ref = system.spawn(
      Behavior.receive<string>((ctx, message) => {
        log.push(message);
        if (message === 'handled')
          ctx.pipeToSelf(Promise.reject(new Error('x')), String, (error) => `caught ${String(error)}`);
        if (message === 'unhandled') ctx.pipeToSelf(Promise.reject(new Error('y')), String);
        if (message === 'mapping')
          ctx.pipeToSelf(Promise.resolve(1), () => {
            throw new Error('z');
          });
      }),
    );
    for (const message of ['handled', 'unhandled', 'mapping']) {
      ref.tell(message);
      await settle();
    }

    expect(log).toEqual(['handled', 'caught Error: x', 'unhandled', 'mapping']);
    expect(logger.lines.map((line) => line.split('\n')[0])).toEqual([
      'error: /user/$1: failed (restart): Error: y',
      'error: /user/$1: failed (restart): Error: z',
    ]);
  });

  it('turns a late outcome into a dead letter, and always fits into a full mailbox', async () => {
    const { system, deadLetters } = testSystem();
    const log: unknown[] = [];
    const [first, late] = [deferred<string>(), deferred<string>()];
    const behavior = Behavior.receive<string>((ctx, message) => {
      log.push(message);
      if (message !== 'begin') return;
      ctx.pipeToSelf(first.promise, (value) => value);
      ctx.pipeToSelf(late.promise, (value) => value);
    });
    const ref = system.spawn(Props.of(behavior, { mailbox: bounded(1, Overflow.DropNewest) }));
    ref.tell('begin');
    await settle();
    ref.tell(Suspend);
    ref.tell('waiting');
    first.resolve('first');
    await settle();
    ref.tell(Resume);
    ref.stop();
    await ref.whenTerminated();
    late.resolve('late');
    await settle();

    expect(log).toEqual(['begin', 'waiting', 'first']);
    expect(deadLetters).toMatchObject([{ message: 'late', reason: 'stopped' }]);
  });
});
