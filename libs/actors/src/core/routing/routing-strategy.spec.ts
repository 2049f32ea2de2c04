import fc from 'fast-check';
import { recorder, testSystem } from '../actor-system.fixture.js';
import type { ActorRef } from '../actor-ref.js';
import { InvalidActorOptionError } from '../errors/invalid-actor-option.error.js';
import { Suspend } from '../system-messages.js';
import { broadcast, consistentHash, random, roundRobin, smallestMailbox } from './routing-strategy.js';

const refs = (count: number): ActorRef<string>[] => {
  const { system } = testSystem();
  return Array.from({ length: count }, (_, n) => system.spawn(recorder<string>(), `r${n}`));
};

describe('roundRobin', () => {
  it('selects routees in turn, and continues when there are fewer', () => {
    const [a, b, c] = refs(3) as [ActorRef<string>, ActorRef<string>, ActorRef<string>];
    const { select } = roundRobin<string>()(Math.random);

    expect([1, 2, 3, 4, 5].map(() => select('', [a, b, c]))).toEqual([a, b, c, a, b]);
    expect([1, 2, 3].map(() => select('', [a, b]))).toEqual([a, b, a]);
    expect(select('', [c])).toBe(c);
  });

  it('keeps a separate position for every router', () => {
    const routees = refs(2);
    const strategy = roundRobin<string>();
    strategy(Math.random).select('', routees);

    expect(strategy(Math.random).select('', routees)).toBe(routees[0]);
  });
});

describe('random', () => {
  it('selects by the given random numbers', () => {
    const routees = refs(4);
    const numbers = [0, 0.25, 0.5, 0.999999];
    const { select } = random<string>()(() => numbers.shift()!);

    expect([1, 2, 3, 4].map(() => select('', routees))).toEqual(routees);
  });
});

describe('broadcast', () => {
  it('selects all routees', () => {
    const routees = refs(3);

    expect(broadcast<string>()(Math.random).select('', routees)).toEqual(routees);
  });
});

describe('smallestMailbox', () => {
  it('selects the routee with the fewest waiting messages, the first one on a tie', () => {
    const routees = refs(3);
    const { select } = smallestMailbox<string>()(Math.random);
    for (const ref of routees) ref.tell(Suspend);
    const chosen = Array.from({ length: 7 }, () => {
      const one = select('', routees) as ActorRef<string>;
      one.tell('message');
      return routees.indexOf(one);
    });

    expect(chosen).toEqual([0, 1, 2, 0, 1, 2, 0]);
  });
});

describe('consistentHash', () => {
  const keyOf = (message: string): string => message;

  it('sends a key to the same routee, even in another router with the same names', () => {
    const [first, second] = [refs(5), refs(5)];
    const a = consistentHash(keyOf)(Math.random);
    const b = consistentHash(keyOf)(Math.random);
    fc.assert(
      fc.property(fc.string(), (key) => {
        const one = a.select(key, first) as ActorRef<string>;
        expect(a.select(key, first)).toBe(one);
        expect((b.select(key, second) as ActorRef<string>).path).toBe(one.path);
      }),
    );
  });

  it('leaves all other keys in place when a routee stops', () => {
    const routees = refs(6);
    const gone = routees[2]!;
    const left = routees.filter((ref) => ref !== gone);
    const { select } = consistentHash(keyOf)(Math.random);
    const keys = Array.from({ length: 2_000 }, (_, n) => `key-${n}`);
    const before = keys.map((key) => select(key, routees));
    const after = keys.map((key) => select(key, left));

    keys.forEach((_key, n) => {
      if (before[n] === gone) expect(after[n]).not.toBe(gone);
      else expect(after[n]).toBe(before[n]);
    });
    // The keys of the removed routee are spread over the others, not moved to one neighbor.
    expect(new Set(after.filter((_ref, n) => before[n] === gone)).size).toBe(5);
  });

  it('spreads keys evenly enough', () => {
    const routees = refs(4);
    const { select } = consistentHash<string>((text) => text.length, 200)(Math.random);
    const counts = new Map<unknown, number>();
    for (let n = 0; n < 8_000; n++) {
      const ref = select('x'.repeat(n), routees);
      counts.set(ref, (counts.get(ref) ?? 0) + 1);
    }

    expect(counts.size).toBe(4);
    for (const count of counts.values()) expect(count).toBeGreaterThan(1_200);
  });

  it('works with one point per routee', () => {
    const routees = refs(2);
    const { select } = consistentHash(keyOf, 1)(Math.random);

    for (let n = 0; n < 100; n++) expect(routees).toContain(select(`${n}`, routees));
  });

  it('rejects a value that is not a function, and invalid numbers of points', () => {
    expect(() => consistentHash('id' as never)).toThrow(InvalidActorOptionError);
    for (const bad of [0, -1, 1.5, NaN, 20_000])
      expect(() => consistentHash(keyOf, bad)).toThrow(InvalidActorOptionError);
  });
});
