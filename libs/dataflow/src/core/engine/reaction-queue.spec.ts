import fc from 'fast-check';
import type { ReactionRuntime } from './node-runtime.js';
import { ReactionQueue } from './reaction-queue.js';

const reaction = (rank: number) => ({ rank, level: Math.floor(rank / 3) }) as ReactionRuntime;

describe('ReactionQueue', () => {
  it('returns reactions by rank, in any order of pushes and pops', () => {
    const operations = fc.array(fc.oneof(fc.nat({ max: 1_000 }), fc.constant('pop' as const)), { maxLength: 200 });
    fc.assert(
      fc.property(operations, (operations) => {
        const queue = new ReactionQueue();
        const model: number[] = [];
        for (const one of operations) {
          if (one === 'pop' && model.length === 0) continue;
          if (one === 'pop') {
            expect(queue.level).toBe(Math.floor(model[0]! / 3));
            expect(queue.pop().rank).toBe(model.shift());
          } else if (!model.includes(one)) {
            queue.push(reaction(one));
            model.push(one);
            model.sort((a, b) => a - b);
          }
          expect(queue.isEmpty).toBe(model.length === 0);
        }
        while (model.length > 0) expect(queue.pop().rank).toBe(model.shift());
      }),
      { numRuns: 300 },
    );
  });

  it('is empty after clear()', () => {
    const queue = new ReactionQueue();
    for (const rank of [3, 1, 2]) queue.push(reaction(rank));
    queue.clear();
    expect(queue.isEmpty).toBe(true);
    queue.push(reaction(7));
    expect(queue.pop().rank).toBe(7);
  });
});
