import { SeededRandom } from './seeded-random.js';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const take = <T>(count: number, next: () => T): T[] => Array.from({ length: count }, () => next());

describe('SeededRandom', () => {
  it('gives the same numbers and ids for the same seed', () => {
    const [one, other] = [new SeededRandom('roost a'), new SeededRandom('roost a')];
    expect(take(100, () => one.next())).toEqual(take(100, () => other.next()));
    expect(one.uuid()).toBe(other.uuid());
  });

  it('gives other numbers for another seed', () => {
    expect(new SeededRandom('a').next()).not.toBe(new SeededRandom('b').next());
  });

  it('spreads numbers evenly over 0 to 1', () => {
    const random = new SeededRandom('even');
    const buckets = Array<number>(10).fill(0);
    const numbers = take(100_000, () => random.next());
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    for (const number of numbers) buckets[Math.floor(number * 10)]!++;
    for (const count of buckets) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  });

  it('creates unique UUIDs of version 4', () => {
    const random = new SeededRandom('ids');
    const ids = take(10_000, () => random.uuid());
    expect(ids.every((id) => UUID_V4.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(10_000);
  });
});
