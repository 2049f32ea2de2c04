import { NEVER, type Tag } from '../../time/tag.js';
import { Inbox, Outboxes } from './flow-control.js';
import type { CrossEdge } from '../plan.js';
import { Safety } from './checkpoint.js';

const at = (time: number, microstep = 0): Tag => ({ time, microstep });
const edge = (index: number, delay = 0): CrossEdge => ({ model: { index, delay: at(delay) } }) as unknown as CrossEdge;

const setup = (delay = 0) => {
  const out = edge(1, delay);
  const outboxes = new Outboxes(9, [out], () => true);
  const inbox = new Inbox(edge(2));
  const safety = new Safety(outboxes, [inbox], [out]);
  return { outboxes, inbox, safety };
};

describe('what is safe', () => {
  it('is what has arrived', () => {
    const { safety } = setup();
    expect(safety.tell()).toEqual(NEVER);
    safety.confirmed(at(5, 1), NEVER);
    expect(safety.tell()).toEqual(at(5, 1));
    safety.confirmed(at(4), NEVER);
    expect(safety.tell()).toEqual(at(5, 1));
  });

  it('is not what a receiver may still want again', () => {
    const { safety, outboxes } = setup();
    outboxes.add(1, at(3), at(3), new Uint8Array());
    outboxes.add(1, at(4, 2), at(4, 2), new Uint8Array());
    safety.confirmed(at(5), NEVER);
    expect(safety.tell()).toEqual(at(2, 2 ** 32 - 1));
    outboxes.release(1, at(3));
    expect(safety.tell()).toEqual(at(4, 1));
    outboxes.release(1, at(9));
    expect(safety.tell()).toEqual(at(5));
  });

  it('is a whole instant where delays make new microsteps', () => {
    const { safety } = setup(10);
    safety.confirmed(at(5, 3), NEVER);
    expect(safety.tell()).toEqual(at(4, 2 ** 32 - 1));
  });

  it('is news when senders keep it and have not been told', () => {
    const { safety, inbox } = setup();
    inbox.add(at(3), at(3));
    expect(safety.hasNews()).toBe(false);
    safety.confirmed(at(5), NEVER);
    expect(safety.hasNews()).toBe(true);
    expect(safety.tell()).toEqual(at(5));
    expect([safety.hasNews(), inbox.takeHandled(1)]).toEqual([false, undefined]);
    safety.confirmed(at(5), at(5));
    expect(inbox.takeHandled(1)).toEqual(at(3));
  });

  it('goes on from an earlier life', () => {
    const { safety } = setup();
    safety.resumeFrom(at(7));
    safety.confirmed(at(5), NEVER);
    expect(safety.tell()).toEqual(at(7));
  });
});
