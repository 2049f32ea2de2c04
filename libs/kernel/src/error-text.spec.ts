import { describeValue, messageOf, stackOf, textOf } from './error-text.js';

const throwing = (): never => {
  throw new Error('do not look');
};
const unprintable = { toString: throwing };

/** An error that throws on every read. */
const hostile = (): unknown => {
  const properties = { message: { get: throwing }, stack: { get: throwing }, toString: { get: throwing } };
  return Object.create(Error.prototype, properties);
};
const UNPRINTABLE = 'a value that cannot be printed';

describe('textOf', () => {
  it.each([
    ['text', 'text'],
    [undefined, 'undefined'],
    [new TypeError('wrong'), 'TypeError: wrong'],
    [Symbol('s'), 'Symbol(s)'],
    [unprintable, UNPRINTABLE],
    [Object.create(null), UNPRINTABLE],
  ])('returns the text of any value (%#)', (value: unknown, text) => {
    expect(textOf(value)).toBe(text);
  });
});

describe('messageOf', () => {
  it.each([
    [new TypeError('wrong'), 'wrong'],
    ['thrown text', 'thrown text'],
    [undefined, 'undefined'],
    [unprintable, UNPRINTABLE],
  ])('returns one line (%#)', (value: unknown, text) => {
    expect(messageOf(value)).toBe(text);
  });

  it('does not throw for an error that throws when read', () => {
    expect(messageOf(hostile())).toBe(UNPRINTABLE);
  });
});

describe('stackOf', () => {
  it('returns the stack of an error', () => {
    const error = new Error('deep');
    expect(stackOf(error)).toBe(error.stack);
  });

  it('returns the text of a value without a stack', () => {
    const error = new Error('flat');
    delete error.stack;
    expect(stackOf(error)).toBe('Error: flat');
    expect(stackOf('thrown text')).toBe('thrown text');
    expect(stackOf(unprintable)).toBe(UNPRINTABLE);
    expect(stackOf(hostile())).toBe(UNPRINTABLE);
  });
});

describe('describeValue', () => {
  it.each([
    ['text', "'text'"],
    [NaN, 'NaN'],
    [5n, '5n'],
    [{ a: { b: 1 } }, '{ a: [Object] }'],
    [[1, 2], '[ 1, 2 ]'],
  ])('formats %p', (value: unknown, text) => {
    expect(describeValue(value)).toBe(text);
  });

  it.each([['x'.repeat(10_000)], [Array.from({ length: 1_000 }, () => 'x'.repeat(100))]])(
    'truncates a long value',
    (value) => {
      expect(describeValue(value).length).toBeLessThanOrEqual(200);
    },
  );
});
