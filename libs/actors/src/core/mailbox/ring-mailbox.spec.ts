import fc from 'fast-check';
import { RingMailbox } from './ring-mailbox.js';

type Step = 'push' | 'pushFront' | 'take';
type Burst = readonly [Step, number];

/** Internal arrays of a mailbox: messages and reply addresses. */
const arraysOf = (mailbox: RingMailbox): (unknown[] | null)[] => {
  const { messages, besides } = mailbox as unknown as Record<'messages' | 'besides', unknown[] | null>;
  return [messages, besides];
};

/** Applies the same operations to an array and to the mailbox, and compares them after each. */
function compare(bursts: readonly Burst[]): void {
  const mailbox = new RingMailbox();
  const model: [number, string | undefined][] = [];
  let next = 0;
  for (const [step, times] of bursts) {
    for (let i = 0; i < times; i++) {
      const entry: [number, string | undefined] = [++next, next % 3 === 0 ? undefined : `to ${next}`];
      if (step === 'push') {
        mailbox.push(...entry);
        model.push(entry);
      } else if (step === 'pushFront') {
        mailbox.pushFront(...entry);
        model.unshift(entry);
      } else if (model.length > 0) {
        const taken = mailbox.take();
        expect([taken, mailbox.takenReplyTo]).toEqual(model.shift());
      }
      expect(mailbox.size).toBe(model.length);
    }
  }
  while (mailbox.size > 0) {
    const taken = mailbox.take();
    expect([taken, mailbox.takenReplyTo]).toEqual(model.shift());
  }
  expect(model).toEqual([]);
}

describe('RingMailbox', () => {
  it('behaves like an array while it grows, shrinks and gets entries at the front', () => {
    const step = fc.constantFrom<Step>('push', 'push', 'pushFront', 'take', 'take');
    const burst = fc.tuple(step, fc.integer({ min: 1, max: 50 }));
    fc.assert(fc.property(fc.array(burst, { maxLength: 25 }), compare));
  });

  it('grows when its entries wrap around the end of the array', () => {
    compare([
      ['push', 3],
      ['take', 2],
      ['push', 4],
      ['pushFront', 3],
      ['push', 20],
    ]);
  });

  it('allocates no array before the first message, and none for reply addresses until there is one', () => {
    const mailbox = new RingMailbox();

    expect(arraysOf(mailbox)).toEqual([null, null]);
    expect(mailbox.size).toBe(0);
    mailbox.push('message', undefined);
    expect(arraysOf(mailbox)[1]).toBeNull();
    mailbox.push('message', 'reply');
    expect(arraysOf(mailbox)[1]).toHaveLength(8);
  });

  it('releases a large array when it becomes empty, and keeps a small one', () => {
    const fill = (messages: number): RingMailbox => {
      const mailbox = new RingMailbox();
      for (let i = 0; i < messages; i++) mailbox.push(i, i);
      for (let i = 0; i < messages; i++) mailbox.take();
      return mailbox;
    };

    expect(arraysOf(fill(64)).map((array) => array?.length)).toEqual([64, 64]);
    expect(arraysOf(fill(65))).toEqual([null, null]);
    const again = fill(65);
    again.push('after', 'all');
    expect([again.take(), again.takenReplyTo]).toEqual(['after', 'all']);
  });

  it('does not retain messages that were taken', () => {
    const mailbox = new RingMailbox();
    mailbox.push({}, {});
    mailbox.pushFront({}, {});
    mailbox.take();
    mailbox.take();

    expect(arraysOf(mailbox).flat().filter(Boolean)).toEqual([]);
  });
});
