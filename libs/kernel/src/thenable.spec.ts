import { isThenable } from './thenable.js';

describe('isThenable', () => {
  const callable = Object.assign(() => undefined, { then: () => undefined });
  const hostile = {
    get then(): never {
      throw new Error('do not look');
    },
  };

  it.each([
    ['a promise', Promise.resolve()],
    ['an object with then()', { then: () => undefined }],
    ['a function with then()', callable],
    ['an object whose `then` cannot be read', hostile],
  ])('is true for %s', (_, value) => {
    expect(isThenable(value)).toBe(true);
  });

  it.each([[undefined], [null], [5], ['then'], [{}], [{ then: 5 }], [() => undefined]])('is false for %p', (value) => {
    expect(isThenable(value)).toBe(false);
  });
});
