import fc from 'fast-check';
import { plainSerializer } from './serializer.js';

const { serialize, deserialize } = plainSerializer;
const roundTrip = (value: unknown): unknown => deserialize(serialize(value));

const scalar = fc.oneof(
  fc.constantFrom(undefined, null, NaN, -0, Infinity, '\ud800', ''),
  fc.boolean(),
  fc.double(),
  fc.bigInt(),
  fc.string({ unit: 'binary' }),
  fc.uint8Array(),
);
const { plain } = fc.letrec<{ plain: unknown }>((tie) => ({
  plain: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('plain')),
    fc.dictionary(fc.string({ unit: 'binary' }), tie('plain')),
  ),
}));

describe('plainSerializer', () => {
  it('preserves all plain data', () => {
    fc.assert(
      fc.property(plain, (value) => {
        expect(roundTrip(value)).toEqual(value);
      }),
    );
  });

  it.each([
    ['-0', -0],
    ['-0 in a list', [-0]],
    ['undefined in an object', { a: undefined }],
    ['NaN in an object', { a: [NaN] }],
    ['a hole', [1, , 3]], // eslint-disable-line no-sparse-arrays -- that is the point
    ['an unpaired surrogate', { a: '\udc00' }],
    ['a key that looks like a prototype', JSON.parse('{"__proto__":1}') as unknown],
  ])('preserves %s', (_, value) => {
    expect(roundTrip(value)).toStrictEqual(value);
  });

  it('uses JSON for values that JSON preserves', () => {
    expect(Buffer.from(serialize({ a: [1, 'two', null, true] })).toString()).toContain('{"a":[1,"two",null,true]}');
  });

  it.each([[[]], [[9]], [[1, 2, 3]], [[2]], [[2, 123]], [[3]], [[3, 255, 15]]])('rejects the bytes %j', (bytes) => {
    expect(() => deserialize(Uint8Array.from(bytes))).toThrow();
  });

  it('reads from the middle of a buffer', () => {
    for (const value of [1.5, 'text', 5n]) {
      const bytes = serialize(value);
      const inside = Buffer.concat([Buffer.from('before'), bytes, Buffer.from('after')]).subarray(6, 6 + bytes.length);
      expect(deserialize(inside)).toEqual(value);
    }
  });
});
