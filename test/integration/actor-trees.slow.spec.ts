import { soakActorTrees } from '../soak/actor-trees.js';

// More of it: `npm run soak`. A line of a failure names the seed: `node .tsout/test/soak/actor-trees.js 1 <seed>`.
describe('random trees of failing actors', () => {
  it('follow every rule of delivery, order and lifecycle', async () => {
    const seed = Date.now() % 1_000_000;

    const { problems, ...counts } = await soakActorTrees({ trees: 500, seed });

    expect(problems.slice(0, 20)).toEqual([]);
    // Not for want of anything happening.
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(500 / 10);
    expect(counts.handled + counts.deadLetters).toBe(counts.sent);
  }, 120_000);
});
