import fc from 'fast-check';
import { earlierOf, FOREVER, isBefore, isSame, START } from '../time/tag.js';
import { at } from './graphs.fixture.js';
import { MinTree } from './min-tree.js';

const tags = fc.oneof(fc.constant(FOREVER), fc.record({ time: fc.nat({ max: 9 }), microstep: fc.nat({ max: 3 }) }));

describe('MinTree', () => {
  it('finds the earliest tag and all slots before a tag, after any changes', () => {
    const changes = fc.array(fc.tuple(fc.nat({ max: 40 }), tags), { maxLength: 60 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 33 }), changes, tags, (size, sequence, limit) => {
        const tree = new MinTree(size);
        const model = new Array(size).fill(FOREVER);
        for (const [number, tag] of sequence) {
          const slot = number % size;
          const before = model.reduce(earlierOf, FOREVER);
          model[slot] = tag;
          const least = model.reduce(earlierOf, FOREVER);
          expect(tree.set(slot, tag)).toBe(!isSame(before, least));
          expect(tree.least).toEqual(least);
          expect(model[tree.leastSlot]).toEqual(least);
          expect(tree.get(slot)).toEqual(tag);
        }
        const expected = [...model.keys()].filter((slot) => isBefore(model[slot], limit));
        expect(tree.slotsBefore(limit).toSorted((a, b) => a - b)).toEqual(expected);
      }),
    );
  });

  it('starts with one tag in all slots', () => {
    const tree = new MinTree(5, START);
    expect(tree.least).toEqual(START);
    expect(tree.slotsBefore(at(0, 1)).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4]);
  });

  it('has FOREVER as earliest tag without slots', () => {
    const tree = new MinTree(0);
    expect(tree.least).toBe(FOREVER);
    expect(tree.slotsBefore(FOREVER)).toEqual([]);
  });

  it('changes a slot among 1,000 in at most 11 steps', () => {
    const tree = new MinTree(1_000);
    for (let time = 0; time < 3_000; time++) {
      const before = tree.steps;
      tree.set((time * 7) % 1_000, at(time));
      expect(tree.steps - before).toBeLessThanOrEqual(11);
    }
  });
});
