import fc from 'fast-check';
import { Heap } from './heap.js';

const numbers = (): Heap<number> => new Heap<number>((a, b) => a < b);
const takeAll = (heap: Heap<number>): number[] => Array.from({ length: heap.size }, () => heap.take());
const sorted = (list: readonly number[]): number[] => [...list].sort((a, b) => a - b);

describe('Heap', () => {
  it('returns the smallest item for any mix of pushes and takes', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.integer()), { maxLength: 300 }), (steps) => {
        const heap = numbers();
        let model: number[] = [];
        for (const step of steps) {
          if (step !== null) {
            heap.push(step);
            model = sorted([...model, step]);
          } else if (model.length > 0) {
            expect(heap.peek()).toBe(model[0]);
            expect(heap.take()).toBe(model.shift());
          }
          expect(heap.size).toBe(model.length);
        }
        expect(sorted(heap.toArray())).toEqual(model);
        expect(takeAll(heap)).toEqual(model);
      }),
    );
  });

  it('keeps the filtered items in order', () => {
    const heap = numbers();
    for (const n of [5, 2, 8, 1, 4]) heap.push(n);
    heap.filter((n) => n % 2 === 0);

    expect(takeAll(heap)).toEqual([2, 4, 8]);
  });

  it('releases the memory of a burst and retains no taken items', () => {
    const heap = numbers();
    const places = () => (heap as unknown as { items: unknown[] }).items;
    for (let n = 0; n < 1_000; n++) heap.push(n);
    for (let n = 0; n < 999; n++) heap.take();
    expect(places().filter((item) => item !== undefined)).toEqual([999]);
    heap.take();
    expect(places()).toEqual([]);

    for (let n = 0; n < 1_000; n++) heap.push(n);
    heap.clear();
    expect([places(), heap.size]).toEqual([[], 0]);
  });
});
