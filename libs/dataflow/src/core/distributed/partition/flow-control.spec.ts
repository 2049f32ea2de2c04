import fc from 'fast-check';
import { FOREVER, START, type Tag } from '../../time/tag.js';
import { ReceiveWindow, SendWindows } from './flow-control.js';
import type { CrossEdge } from '../plan.js';

const at = (time: number, microstep = 0): Tag => ({ time, microstep });
const edge = (index: number): CrossEdge => ({ model: { index } }) as unknown as CrossEdge;
const bytes = (value: number): Uint8Array => new Uint8Array([value]);

describe('SendWindows', () => {
  const make = (window: number, retained: readonly number[] = []): SendWindows =>
    new SendWindows(window, [edge(1), edge(2)], ({ model }) => retained.includes(model.index));

  it('are full when one edge is full', () => {
    const windows = make(2);
    windows.add(1, at(1), at(1));
    windows.add(2, at(1), at(1));
    expect(windows.isFull).toBe(false);
    windows.add(1, at(2), at(2));
    expect(windows.isFull).toBe(true);
    windows.release(2, FOREVER);
    expect(windows.isFull).toBe(true);
    windows.release(1, at(1));
    expect(windows.isFull).toBe(false);
  });

  it('accept a repeated release, and a release for an unknown edge', () => {
    const windows = make(1);
    windows.add(1, at(5), at(5));
    windows.release(1, at(4, 9));
    expect(windows.isFull).toBe(true);
    for (let times = 0; times < 3; times++) windows.release(1, at(5));
    windows.release(9, at(5));
    expect(windows.isFull).toBe(false);
    windows.add(1, at(6), at(6));
    expect(windows.isFull).toBe(true);
  });

  it('drop everything for a removed receiver', () => {
    const windows = make(1, [1]);
    windows.add(1, at(1), at(1), bytes(1));
    windows.close(1);
    expect(windows.isFull).toBe(false);
    windows.add(1, at(2), at(2), bytes(2));
    expect([windows.isFull, windows.retained(1), windows.retainedSince]).toEqual([false, [], FOREVER]);
  });

  it('retain unhandled messages, and report when the first of them was sent', () => {
    const windows = make(9, [1, 2]);
    windows.add(1, at(10), at(3), bytes(1));
    windows.add(2, at(4), at(4), bytes(2));
    windows.add(1, at(11), at(5), bytes(3));
    expect([windows.retained(1), windows.retained(2), windows.retainedSince]).toEqual([
      [bytes(1), bytes(3)],
      [bytes(2)],
      at(3),
    ]);
    windows.release(1, at(10));
    expect([windows.retained(1), windows.retainedSince]).toEqual([[bytes(3)], at(4)]);
  });

  it('retain nothing for a receiver that does not restart', () => {
    const windows = make(9);
    windows.add(1, at(1), at(1));
    expect([windows.retained(1), windows.retainedSince]).toEqual([[], FOREVER]);
  });

  it('behave like a plain list', () => {
    const action = fc.oneof(fc.constant('add' as const), fc.nat(120));
    fc.assert(
      fc.property(fc.array(action, { maxLength: 300 }), fc.integer({ min: 1, max: 40 }), (actions, window) => {
        const windows = make(window, [1]);
        let list: number[] = [];
        let next = 0;
        for (const one of actions) {
          if (one === 'add') {
            list.push(++next);
            windows.add(1, at(next), START, bytes(next));
          } else {
            list = list.filter((time) => time > one);
            windows.release(1, at(one));
          }
          expect(windows.isFull).toBe(list.length >= window);
        }
        expect(windows.retained(1)).toEqual(list.map(bytes));
      }),
    );
  });
});

describe('ReceiveWindow', () => {
  it('gives credit after enough messages are handled', () => {
    const window = new ReceiveWindow(edge(1));
    for (const time of [1, 2, 3]) window.add(at(time), at(time));
    expect(window.takeCredit(1)).toBeUndefined();
    window.handled(at(1));
    expect(window.takeCredit(2)).toBeUndefined();
    window.handled(at(2, 5));
    expect(window.takeCredit(2)).toEqual(at(2));
    expect(window.takeCredit(1)).toBeUndefined();
  });

  it('counts a message at the tag where it is handled, and gives credit for the tag where it was sent', () => {
    const window = new ReceiveWindow(edge(1));
    window.add(at(1), at(50));
    window.add(at(2), at(50, 1));
    window.handled(at(49, 99));
    expect([window.takeCredit(1), window.hasDue(at(49)), window.hasDue(at(50))]).toEqual([undefined, false, true]);
    window.handled(at(50));
    expect([window.takeCredit(1), window.isHandled(at(1)), window.isHandled(at(2))]).toEqual([at(1), true, false]);
  });
});
