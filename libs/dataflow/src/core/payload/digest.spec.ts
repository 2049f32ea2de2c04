import fc from 'fast-check';
import { Digest, hashNumber } from './digest.js';

const digestOf = (mix: (digest: Digest) => void): string => {
  const digest = new Digest();
  mix(digest);
  return digest.toString();
};

describe('Digest', () => {
  it('is 16 hex digits', () => {
    expect(digestOf(() => undefined)).toMatch(/^[0-9a-f]{16}$/);
    expect(digestOf((digest) => digest.mixString('tag'))).toMatch(/^[0-9a-f]{16}$/);
  });

  it('depends on the order', () => {
    const pair = (a: number, b: number) =>
      digestOf((digest) => {
        digest.mixInt(a);
        digest.mixInt(b);
      });
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (a, b) => {
        expect(pair(a, b) === pair(b, a)).toBe(a === b);
      }),
    );
  });

  it('distinguishes where one string ends and the next begins', () => {
    const strings = (...all: string[]) => digestOf((digest) => all.forEach((one) => digest.mixString(one)));
    expect(strings('ab', 'c')).not.toBe(strings('a', 'bc'));
    expect(strings('', 'a')).not.toBe(strings('a', ''));
  });

  it('has no collision among a hundred thousand small inputs', () => {
    const seen = new Set(Array.from({ length: 100_000 }, (_, i) => digestOf((digest) => digest.mixInt(i))));
    expect(seen.size).toBe(100_000);
  });

  it('has a lower half that is a 32-bit integer', () => {
    const digest = new Digest();
    digest.mixString('half');
    expect(digest.toInt() | 0).toBe(digest.toInt());
    expect(digest.toString().endsWith((digest.toInt() >>> 0).toString(16).padStart(8, '0'))).toBe(true);
  });
});

describe('hashNumber', () => {
  it('distinguishes numbers, including 0 and -0', () => {
    fc.assert(
      fc.property(fc.double(), fc.double(), (a, b) => {
        expect(hashNumber(a) === hashNumber(b)).toBe(Object.is(a, b));
      }),
    );
    expect(hashNumber(0)).not.toBe(hashNumber(-0));
  });

  it('treats every NaN as the same', () => {
    const nans = new Float64Array(2);
    new Uint32Array(nans.buffer).set([1, 0x7ff80000, 2, 0xfff80000]);
    expect(hashNumber(nans[0]!)).toBe(hashNumber(nans[1]!));
    expect(hashNumber(nans[0]!)).toBe(hashNumber(NaN));
  });

  it('has almost no collisions among integers', () => {
    const seen = new Set(Array.from({ length: 100_000 }, (_, i) => hashNumber(i * 1e6)));
    expect(seen.size).toBeGreaterThan(99_990);
  });
});
