import fc from 'fast-check';
import { MinHeap } from './min-heap.js';

describe('MinHeap', () => {
  it('pops undefined when empty', () => {
    expect(new MinHeap().pop()).toBeUndefined();
  });

  it('pops the smallest number first, for any sequence of push and pop', () => {
    const step = fc.oneof(fc.integer(), fc.constant('pop' as const));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const heap = new MinHeap();
        const model: number[] = [];
        for (const one of steps) {
          if (one === 'pop') expect(heap.pop()).toBe(model.shift());
          else {
            heap.push(one);
            model.push(one);
            model.sort((a, b) => a - b);
          }
          expect(heap.size).toBe(model.length);
        }
        for (const expected of model) expect(heap.pop()).toBe(expected);
        expect(heap.pop()).toBeUndefined();
      }),
    );
  });
});
