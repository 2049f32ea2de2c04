import fc from 'fast-check';
import { Ring } from './ring.js';

describe('Ring', () => {
  it('returns items in order for any mix of pushes and shifts', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -90, max: 100 }), { maxLength: 40 }), (bursts) => {
        const ring = new Ring<number>();
        const model: number[] = [];
        let next = 0;
        for (const burst of bursts) {
          for (let i = 0; i < burst; i++) {
            ring.push(++next);
            model.push(next);
          }
          for (let i = burst; i < 0 && model.length > 0; i++) expect(ring.shift()).toBe(model.shift());
          expect(ring.size).toBe(model.length);
        }
        while (model.length > 0) expect(ring.shift()).toBe(model.shift());
        expect(ring.size).toBe(0);
      }),
    );
  });

  it('grows when it is full with its head in mid-array', () => {
    const ring = new Ring<number>();
    for (let i = 0; i < 40; i++) ring.push(-1);
    for (let i = 0; i < 40; i++) ring.shift();
    for (let i = 0; i < 65; i++) ring.push(i);

    expect(Array.from({ length: 65 }, () => ring.shift())).toEqual(Array.from({ length: 65 }, (_, i) => i));
  });

  it('does not retain items that it returned', () => {
    const ring = new Ring<object>();
    ring.push({});
    ring.shift();

    expect((ring as unknown as { slots: unknown[] }).slots.every((slot) => slot === undefined)).toBe(true);
  });
});
