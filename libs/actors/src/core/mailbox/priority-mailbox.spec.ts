import fc from 'fast-check';
import { settle, testSystem } from '../actor-system.fixture.js';
import { Behavior } from '../behavior.js';
import { Props } from '../props.js';
import { ReceiveTimeout, Terminated } from '../signals.js';
import { PoisonPill } from '../system-messages.js';
import { priority } from './mailbox-options.js';
import { PriorityMailbox } from './priority-mailbox.js';

interface Job {
  readonly id: number;
  readonly rank: number;
}

const takeAll = (mailbox: PriorityMailbox): unknown[] => {
  const all: unknown[] = [];
  while (mailbox.size > 0) all.push(mailbox.take());
  return all;
};

describe('PriorityMailbox', () => {
  it('lets only signals overtake a PoisonPill', () => {
    const mailbox = new PriorityMailbox(Number);
    const signal = new ReceiveTimeout();
    for (const message of [5, PoisonPill, 1, signal]) mailbox.push(message, undefined);

    expect([mailbox.take(), mailbox.take(), mailbox.take(), mailbox.take()]).toEqual([signal, 5, PoisonPill, 1]);
  });

  it('sorts stably by priority, even with takes in between and entries pushed to the front', () => {
    const command = fc.oneof(
      fc.record({ push: fc.integer({ min: 0, max: 5 }) }),
      fc.record({ pushFront: fc.integer({ min: 0, max: 5 }) }),
      fc.constant('take' as const),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 200 }), (commands) => {
        const mailbox = new PriorityMailbox((message) => (message as Job).rank);
        let model: Job[] = [];
        const takeFromModel = (): Job => {
          const first = [...model].sort((a, b) => a.rank - b.rank)[0]!;
          model = model.filter((job) => job !== first);
          return first;
        };
        commands.forEach((step, id) => {
          if (step === 'take') {
            if (model.length === 0) return;
            const taken = mailbox.take() as Job;
            expect(taken).toBe(takeFromModel());
            expect(mailbox.takenReplyTo).toBe(`to ${taken.id}`);
          } else if ('push' in step) {
            const job = { id, rank: step.push };
            mailbox.push(job, `to ${id}`);
            model.push(job);
          } else {
            const job = { id, rank: step.pushFront };
            mailbox.pushFront(job, `to ${id}`);
            model.unshift(job);
          }
          expect(mailbox.size).toBe(model.length);
        });
        while (model.length > 0) expect(mailbox.take()).toBe(takeFromModel());
      }),
    );
  });

  it('delivers signals first and a PoisonPill last, whatever the priorities', () => {
    const mailbox = priority<number>((n) => n).create() as PriorityMailbox;
    const signal = new Terminated(undefined as never);
    for (const message of [-Infinity, 1, -5, PoisonPill, signal, Infinity]) mailbox.push(message, undefined);

    const order = takeAll(mailbox);

    expect(order[0]).toBe(signal);
    expect(order.slice(1, 4)).toEqual([-Infinity, -5, 1]);
    // A message with the lowest priority that arrives after the pill stays behind it.
    expect(order.slice(4)).toEqual([PoisonPill, Infinity]);
  });

  it('delivers messages without a valid priority last: throws, NaN or not convertible', () => {
    const numbers: Record<string, () => unknown> = {
      throws: () => {
        throw new Error('no priority');
      },
      nan: () => NaN,
      missing: () => undefined,
      symbol: () => Symbol('s'),
      big: () => 7n,
      text: () => '3',
      last: () => 1e9,
    };
    const mailbox = priority<string>((key) => numbers[key]!() as number).create() as PriorityMailbox;
    for (const key of Object.keys(numbers)) mailbox.push(key, undefined);

    expect(takeAll(mailbox)).toEqual(['text', 'big', 'last', 'throws', 'nan', 'missing', 'symbol']);
  });

  it('compares n log n times, not n² times', () => {
    let compared = 0;
    const counting = (message: unknown): object => ({ valueOf: () => (compared++, message as number) });
    const mailbox = new PriorityMailbox((message) => counting(message) as unknown as number);
    const n = 4_096;
    for (let i = n; i > 0; i--) mailbox.push(i, undefined);

    takeAll(mailbox);

    expect(compared).toBeLessThan(n * Math.log2(n) * 12);
  });
});

describe('an actor with a priority mailbox', () => {
  it('handles urgent messages first, and all messages sent before its stop', async () => {
    const { system } = testSystem();
    const handled: number[] = [];
    const behavior = Behavior.receive<number>((_ctx, n) => void handled.push(n));
    const ref = system.spawn(Props.of(behavior, { mailbox: priority<number>((n) => n) }));

    for (const n of [5, 3, 9, 3, 1]) ref.tell(n);
    ref.stop();
    await ref.whenTerminated();

    expect(handled).toEqual([1, 3, 3, 5, 9]);
  });

  it('restores stashed messages before others of their priority', async () => {
    const { system } = testSystem();
    const handled: string[] = [];
    let open = false;
    const behavior = Behavior.receive<{ rank: number; text: string }>((ctx, { text }) => {
      if (text === 'open') {
        open = true;
        ctx.unstashAll();
      } else if (open) handled.push(text);
      else ctx.stash();
    });
    const ref = system.spawn(Props.of(behavior, { mailbox: priority<{ rank: number }>(({ rank }) => rank) }));

    ref.tell({ rank: 1, text: 'first' });
    ref.tell({ rank: 1, text: 'second' });
    await settle();
    ref.tell({ rank: 1, text: 'third' });
    ref.tell({ rank: 2, text: 'less urgent' });
    ref.tell({ rank: 0, text: 'open' });
    await settle();

    expect(handled).toEqual(['first', 'second', 'third', 'less urgent']);
  });
});
