import fc from 'fast-check';
import { isSame, NO_DELAY, ONE_MICROSTEP } from '../time/tag.js';
import { edgesAmong } from './graphs.fixture.js';
import { findZeroDelayCycle } from './partition-edge.js';

const instant = (from: number, to: number) => ({ from, to, delay: NO_DELAY });

describe('findZeroDelayCycle()', () => {
  it('finds nothing when every cycle has a delay', () => {
    fc.assert(fc.property(edgesAmong(6), (edges) => expect(findZeroDelayCycle(6, edges)).toBeUndefined()));
  });

  it('returns the partitions of a cycle in order, without those before and after it', () => {
    const edges = [instant(0, 3), instant(3, 1), instant(1, 4), instant(4, 3), instant(4, 2), instant(2, 5)];
    const path = findZeroDelayCycle(6, edges)!;
    expect(path).toHaveLength(4);
    expect(`${path.join()},${path.slice(1).join()}`).toContain('3,1,4,3');
  });

  it('finds a cycle if and only if a partition reaches itself without delay', () => {
    const index = fc.nat({ max: 5 });
    const delay = fc.constantFrom(NO_DELAY, NO_DELAY, ONE_MICROSTEP);
    fc.assert(
      fc.property(fc.array(fc.record({ from: index, to: index, delay }), { maxLength: 12 }), (edges) => {
        const hasEdge = (from: number, to: number): boolean =>
          edges.some((edge) => edge.from === from && edge.to === to && isSame(edge.delay, NO_DELAY));
        const reaches = Array.from({ length: 6 }, (_, from) =>
          Array.from({ length: 6 }, (__, to) => hasEdge(from, to)),
        );
        for (const via of reaches.keys()) {
          for (const from of reaches) if (from[via]) for (const to of from.keys()) from[to] ||= reaches[via]![to]!;
        }
        const path = findZeroDelayCycle(6, edges);
        expect(path !== undefined).toBe(reaches.some((to, from) => to[from]));
        if (!path) return;
        expect(path.at(-1)).toBe(path[0]);
        expect(new Set(path).size).toBe(path.length - 1);
        for (const [at, from] of path.slice(0, -1).entries()) expect(hasEdge(from, path[at + 1]!)).toBe(true);
      }),
    );
  });
});
