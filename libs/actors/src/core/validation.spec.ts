import { InvalidActorOptionError } from './errors/invalid-actor-option.error.js';
import { assertKnownKeys, assertNumber, assertTimeout } from './validation.js';

const messageOf = (run: () => void): string => {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing thrown';
};

describe('assertNumber', () => {
  it.each([
    [5, {}],
    [0, { least: 0 }],
    [10, { most: 10 }],
    [0.1, { above: 0 }],
    [3, { least: 1, most: 3, whole: true }],
  ])('takes %p for %p', (value, limits) => {
    expect(() => assertNumber(value, 'x', limits)).not.toThrow();
  });

  it.each([
    ['5', { least: 1 }, 'Actor option `x` is "5", but must be a number >= 1.'],
    [NaN, { least: 1 }, 'Actor option `x` is NaN, but must be a number >= 1.'],
    [Infinity, { above: 0 }, 'Actor option `x` is Infinity, but must be a number > 0.'],
    [0, { above: 0 }, 'Actor option `x` is 0, but must be a number > 0.'],
    [0, { least: 1, most: 9 }, 'Actor option `x` is 0, but must be a number >= 1 and <= 9.'],
    [10, { least: 1, most: 9 }, 'Actor option `x` is 10, but must be a number >= 1 and <= 9.'],
    [1.5, { least: 1, whole: true }, 'Actor option `x` is 1.5, but must be a whole number >= 1.'],
    [null, { least: 1 }, 'Actor option `x` is null, but must be a number >= 1.'],
  ])('refuses %p for %p', (value, limits, text) => {
    expect(messageOf(() => assertNumber(value, 'x', limits))).toBe(text);
  });
});

describe('assertTimeout', () => {
  it('takes what a timer can wait for', () => {
    expect(() => assertTimeout(0.5, 'x')).not.toThrow();
    expect(() => assertTimeout(2 ** 31 - 1, 'x')).not.toThrow();
  });

  it.each([0, -1, NaN, Infinity, 2 ** 31, '5', undefined, null])('refuses %p', (bad) => {
    expect(() => assertTimeout(bad, 'x')).toThrow(InvalidActorOptionError);
    expect(messageOf(() => assertTimeout(bad, 'x'))).toContain('a number of milliseconds > 0 and < 2^31');
  });
});

describe('assertKnownKeys', () => {
  it('takes known options, also none', () => {
    expect(() => assertKnownKeys({}, ['a'], 'Thing')).not.toThrow();
    expect(() => assertKnownKeys({ a: undefined }, ['a'], 'Thing')).not.toThrow();
  });

  it('names an option that does not exist, and those that do', () => {
    expect(messageOf(() => assertKnownKeys({ mailBox: 1 }, ['mailbox', 'throttle'], 'Props'))).toBe(
      'Actor option `Props.mailBox` is 1, but must be left out: there is no such option. Known: mailbox, throttle.',
    );
  });

  it.each([null, undefined, 5, 'text'])('refuses %p as options', (bad) => {
    expect(messageOf(() => assertKnownKeys(bad as never, [], 'Thing'))).toContain('must be an object');
  });
});
