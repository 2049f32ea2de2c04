import { soakActorTrees } from '../soak/actor-trees.js';

// For more, run `npm run soak`. A failure names its seed: `node .tsout/test/soak/actor-trees.js 1 <seed>`.
describe('random trees of failing actors', () => {
  it('follow every rule of delivery, order and lifecycle', async () => {
    const seed = Date.now() % 1_000_000;

    const { problems, ...counts } = await soakActorTrees({ trees: 500, seed });

    expect(problems.slice(0, 20)).toEqual([]);
    // Makes sure that enough happened.
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(500 / 10);
    expect(counts.handled + counts.deadLetters).toBe(counts.sent);
  }, 120_000);
});
