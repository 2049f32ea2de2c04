import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { NotPlainData, seal, unshared } from './seal.js';

const plain: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(undefined, null, true, false),
    fc.double(),
    fc.string(),
    fc.bigInt(),
    fc.uint8Array({ maxLength: 4 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

/** A copy with another order of keys, as after a transfer. */
function copyOf(value: unknown): unknown {
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (Array.isArray(value)) return value.map(copyOf);
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value).reverse()) {
    Object.defineProperty(copy, key, {
      value: copyOf((value as Record<string, unknown>)[key]),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return copy;
}

function isFrozenAllOver(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozenAllOver);
}

const bytesIn = (value: unknown): Uint8Array[] =>
  value instanceof Uint8Array
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(bytesIn)
      : [];

describe('seal', () => {
  it('preserves plain data, and deep-freezes it', () => {
    fc.assert(
      fc.property(plain, (value) => {
        const copy = copyOf(value);
        const sealed = seal(value);
        expect(sealed.value).toStrictEqual(copy);
        expect(isFrozenAllOver(sealed.value)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('gives equal data the same hash, in any order of keys', () => {
    fc.assert(
      fc.property(plain, (value) => {
        const copy = copyOf(value);
        expect(seal(copy).hash).toBe(seal(value).hash);
      }),
      { numRuns: 300 },
    );
  });

  it('gives data that is already sealed the same hash', () => {
    fc.assert(
      fc.property(plain, (value) => {
        const sealed = seal(value);
        expect(seal(sealed.value).hash).toBe(sealed.hash);
      }),
    );
  });

  it('gives different data different hashes', () => {
    const samples = [
      undefined, null, true, false, 0, -0, 1, NaN, Infinity, 1n, 0n, -1n, '', '0', '1', 'a', 'A',
      new Uint8Array(), new Uint8Array([0]), new Uint8Array([1]), new Uint8Array([0, 0]),
      [], [[]], [undefined], [null], [0], ['0'], [0, 0], [[0], 0], [0, [0]],
      {}, { a: undefined }, { a: null }, { a: 1 }, { b: 1 }, { a: { b: 1 } }, { a: 1, b: 1 }, { a: 'b' }, { ab: '' },
    ]; // prettier-ignore
    expect(new Set(samples.map((value) => seal(value).hash)).size).toBe(samples.length);
    fc.assert(
      fc.property(plain, plain, (a, b) => {
        const areEqual = seal(a).hash === seal(b).hash;
        if (areEqual) expect(a).toStrictEqual(b);
      }),
      { numRuns: 1_000 },
    );
  });

  it("copies bytes, which cannot be frozen, and leaves the sender's bytes unchanged", () => {
    fc.assert(
      fc.property(plain, (value) => {
        const own = bytesIn(value);
        const before = own.map((bytes) => [...bytes]);
        const sealed = seal(value);
        const copies = bytesIn(sealed.value);
        expect(sealed.hasBytes).toBe(own.length > 0);
        expect(copies).toHaveLength(own.length);
        for (const bytes of copies) bytes.fill(255);
        expect(own.map((bytes) => [...bytes])).toEqual(before);
      }),
      { numRuns: 300 },
    );
  });

  it("does not freeze the sender's object when it contains bytes", () => {
    const payload = { list: [new Uint8Array([1])], kept: { a: 1 } };
    const { value } = seal(payload);
    expect(value).toEqual(payload);
    expect(Object.isFrozen(payload)).toBe(false);
    expect((value as typeof payload).kept).toBe(payload.kept);
  });

  it('converts a Buffer to a Uint8Array', () => {
    const { value } = seal(Buffer.from('ab'));
    expect(Object.getPrototypeOf(value)).toBe(Uint8Array.prototype);
    expect(value).toEqual(new Uint8Array([97, 98]));
  });

  it('accepts plain objects of any realm, and objects without a prototype', () => {
    const foreign: unknown = runInNewContext('({ a: [1] })');
    const bare = Object.assign(Object.create(null) as object, { a: [1] });
    expect(seal(foreign).hash).toBe(seal({ a: [1] }).hash);
    expect(seal(bare).hash).toBe(seal({ a: [1] }).hash);
  });

  it('keeps a key of any name', () => {
    const odd = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}') as object;
    expect(Object.keys(seal(odd).value as object)).toEqual(['__proto__', 'constructor']);
    expect(seal(odd).hash).not.toBe(seal({ constructor: 2 }).hash);
  });

  class Money {
    amount = 1;
  }

  it.each([
    ['a function', () => undefined, 'the value is a function'],
    ['a symbol', Symbol('x'), 'the value is a symbol'],
    ['a class instance', new Money(), 'the value is a Money'],
    ['a date in a list', { at: [new Date(0)] }, '.at[0] is a Date'],
    ['a map', { a: { b: new Map() } }, '.a.b is a Map'],
    ['a typed array other than Uint8Array', [new Float64Array(1)], '[0] is a Float64Array'],
    ['a promise', { later: Promise.resolve() }, '.later is a Promise'],
    ['an instance of an anonymous class', new (class {})(), 'the value is a object'],
    ['an object with an unusual prototype', Object.create(Object.create(null) as object), 'the value is a object'],
  ])('rejects %s, and names its path', (_, value, message) => {
    expect(() => seal(value)).toThrow(NotPlainData);
    expect(() => seal(value)).toThrow(message);
  });

  it('rejects a cycle, even with many branches', () => {
    const cycle: Record<string, unknown> = {};
    Object.assign(cycle, { a: cycle, b: cycle });
    expect(() => seal(cycle)).toThrow('is nested more than 1000 levels deep, or a cycle');
  });

  it('accepts a nesting of a thousand levels', () => {
    let deep: unknown = 0;
    for (let i = 0; i < 1_000; i++) deep = [deep];
    expect(seal(deep).value).toBe(deep);
  });
});

describe('unshared', () => {
  it('copies bytes for each receiver, and shares everything else', () => {
    const bytes = seal({ bytes: new Uint8Array([1]) });
    const [one, other] = [unshared(bytes), unshared(bytes)] as { bytes: Uint8Array }[];
    one!.bytes[0] = 9;
    expect(other!.bytes[0]).toBe(1);
    const frozen = seal({ a: 1 });
    expect(unshared(frozen)).toBe(frozen.value);
  });
});
