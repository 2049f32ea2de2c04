import { isThenable } from './thenable.js';

describe('isThenable', () => {
  it.each([[Promise.resolve()], [{ then: () => undefined }]])('is true of what can be waited for', (value) => {
    expect(isThenable(value)).toBe(true);
  });

  const hostile = {
    get then(): never {
      throw new Error('do not look');
    },
  };

  it.each([[undefined], [null], [5], ['then'], [{}], [{ then: 5 }], [hostile]])(
    'is false of everything else',
    (value) => {
      expect(isThenable(value)).toBe(false);
    },
  );
});
