import fc from 'fast-check';
import { FOREVER, START, type Tag } from '../../time/tag.js';
import { Inbox, Outboxes } from './flow-control.js';
import type { CrossEdge } from '../plan.js';

const at = (time: number, microstep = 0): Tag => ({ time, microstep });
const edge = (index: number): CrossEdge => ({ model: { index } }) as unknown as CrossEdge;
const bytes = (value: number): Uint8Array => new Uint8Array([value]);

describe('Outboxes', () => {
  const make = (window: number, kept: readonly number[] = []): Outboxes =>
    new Outboxes(window, [edge(1), edge(2)], ({ model }) => kept.includes(model.index));

  it('are full when one receiver has no more room', () => {
    const boxes = make(2);
    boxes.add(1, at(1), at(1));
    boxes.add(2, at(1), at(1));
    expect(boxes.isFull).toBe(false);
    boxes.add(1, at(2), at(2));
    expect(boxes.isFull).toBe(true);
    boxes.release(2, FOREVER);
    expect(boxes.isFull).toBe(true);
    boxes.release(1, at(1));
    expect(boxes.isFull).toBe(false);
  });

  it('do not mind to hear twice that something was handled, nor what was never sent', () => {
    const boxes = make(1);
    boxes.add(1, at(5), at(5));
    boxes.release(1, at(4, 9));
    expect(boxes.isFull).toBe(true);
    for (let times = 0; times < 3; times++) boxes.release(1, at(5));
    boxes.release(9, at(5));
    expect(boxes.isFull).toBe(false);
    boxes.add(1, at(6), at(6));
    expect(boxes.isFull).toBe(true);
  });

  it('take nothing for a receiver that is gone', () => {
    const boxes = make(1, [1]);
    boxes.add(1, at(1), at(1), bytes(1));
    boxes.close(1);
    expect(boxes.isFull).toBe(false);
    boxes.add(1, at(2), at(2), bytes(2));
    expect([boxes.isFull, boxes.kept(1), boxes.keptSince]).toEqual([false, [], FOREVER]);
  });

  it('keep what was not handled, and know when the first of it was sent', () => {
    const boxes = make(9, [1, 2]);
    boxes.add(1, at(10), at(3), bytes(1));
    boxes.add(2, at(4), at(4), bytes(2));
    boxes.add(1, at(11), at(5), bytes(3));
    expect([boxes.kept(1), boxes.kept(2), boxes.keptSince]).toEqual([[bytes(1), bytes(3)], [bytes(2)], at(3)]);
    boxes.release(1, at(10));
    expect([boxes.kept(1), boxes.keptSince]).toEqual([[bytes(3)], at(4)]);
  });

  it('do not count as kept what nobody may want again', () => {
    const boxes = make(9);
    boxes.add(1, at(1), at(1));
    expect([boxes.kept(1), boxes.keptSince]).toEqual([[], FOREVER]);
  });

  it('agree with a plain list', () => {
    const action = fc.oneof(fc.constant('add' as const), fc.nat(120));
    fc.assert(
      fc.property(fc.array(action, { maxLength: 300 }), fc.integer({ min: 1, max: 40 }), (actions, window) => {
        const boxes = make(window, [1]);
        let list: number[] = [];
        let next = 0;
        for (const one of actions) {
          if (one === 'add') {
            list.push(++next);
            boxes.add(1, at(next), START, bytes(next));
          } else {
            list = list.filter((time) => time > one);
            boxes.release(1, at(one));
          }
          expect(boxes.isFull).toBe(list.length >= window);
        }
        expect(boxes.kept(1)).toEqual(list.map(bytes));
      }),
    );
  });
});

describe('Inbox', () => {
  it('says up to where the sender has room again, when that is worth a message', () => {
    const inbox = new Inbox(edge(1));
    for (const time of [1, 2, 3]) inbox.add(at(time), at(time));
    expect(inbox.takeHandled(1)).toBeUndefined();
    inbox.handled(at(1));
    expect(inbox.takeHandled(2)).toBeUndefined();
    inbox.handled(at(2, 5));
    expect(inbox.takeHandled(2)).toEqual(at(2));
    expect(inbox.takeHandled(1)).toBeUndefined();
  });

  it('goes by when something is handled, and tells the tag it was sent with', () => {
    const inbox = new Inbox(edge(1));
    inbox.add(at(1), at(50));
    inbox.add(at(2), at(50, 1));
    inbox.handled(at(49, 99));
    expect([inbox.takeHandled(1), inbox.hasDue(at(49)), inbox.hasDue(at(50))]).toEqual([undefined, false, true]);
    inbox.handled(at(50));
    expect([inbox.takeHandled(1), inbox.isHandled(at(1)), inbox.isHandled(at(2))]).toEqual([at(1), true, false]);
  });
});
