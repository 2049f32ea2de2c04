import { InvalidWorkerOptionError } from './errors/invalid-worker-option.error.js';
import { assertKnownKeys, assertName, assertNumber, assertTimeout, durationFromEnv } from './validation.js';

describe('assertNumber', () => {
  it.each([
    [1, { least: 1, most: 1 }],
    [0.5, { above: 0 }],
    [Infinity, { least: 1, endless: true }],
    [-5, {}],
  ])('takes %p within %j', (value, limits) => expect(() => assertNumber(value, 'x', limits)).not.toThrow());

  it.each([
    [0, { above: 0 }, 'a number > 0'],
    [0, { least: 1, whole: true }, 'a whole number >= 1'],
    [1.5, { least: 1, most: 9, whole: true }, 'a whole number >= 1 and <= 9'],
    [Infinity, { least: 1 }, 'a number >= 1'],
    [NaN, { least: 1, endless: true }, 'a number >= 1, or Infinity'],
    ['1', { least: 1 }, 'a number >= 1'],
  ])('refuses %p within %j', (value, limits, expected) => {
    expect(() => assertNumber(value, 'x', limits)).toThrow(`but must be ${expected}.`);
  });
});

describe('assertTimeout', () => {
  it('takes what a timer can wait for', () => {
    expect(() => assertTimeout(1, 'x')).not.toThrow();
    for (const value of [0, -1, 2 ** 31, NaN, '5', undefined]) {
      expect(() => assertTimeout(value, 'x')).toThrow(InvalidWorkerOptionError);
    }
  });
});

describe('assertName', () => {
  it('takes names that fit everywhere', () => {
    for (const name of ['a', 'mail.queue', 'order-consumer_2', 'A'.repeat(64)]) {
      expect(() => assertName(name, 'name')).not.toThrow();
    }
    for (const name of ['', '1st', 'two words', 'a/b', 'A'.repeat(65), 'a\n', undefined]) {
      expect(() => assertName(name, 'name')).toThrow(InvalidWorkerOptionError);
    }
  });
});

describe('assertKnownKeys', () => {
  it('names the key that is not known, and those that are', () => {
    expect(() => assertKnownKeys({ a: 1 }, ['a', 'b'], 'options')).not.toThrow();
    expect(() => assertKnownKeys({ c: 1 }, ['a', 'b'], 'options')).toThrow(/options\.c is 1, .* Known: a, b\./);
    for (const value of [null, undefined, 5]) {
      expect(() => assertKnownKeys(value, [], 'options')).toThrow(/must be an object/);
    }
  });
});

describe('durationFromEnv', () => {
  it('reads a duration, if there is one', () => {
    expect(durationFromEnv('X', {})).toBeUndefined();
    expect(durationFromEnv('X', { X: '' })).toBeUndefined();
    expect(durationFromEnv('X', { X: '250' })).toBe(250);
    expect(durationFromEnv('X', { X: '1.5s' })).toBe(1_500);
  });

  it.each(['soon', '0', '-5', '99999h'])('refuses %p and names the variable', (text) => {
    expect(() => durationFromEnv('ROOST_X', { ROOST_X: text })).toThrow(InvalidWorkerOptionError);
    expect(() => durationFromEnv('ROOST_X', { ROOST_X: text })).toThrow(/^ROOST_X is /);
  });
});
