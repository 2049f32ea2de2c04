import { messageOf, textOf } from './error-text.js';

describe('error texts', () => {
  it('have the stack where there is one', () => {
    const error = new Error('x');
    expect(textOf(error)).toBe(error.stack);
    expect(messageOf(error)).toBe('x');
    expect(textOf('plain')).toBe('plain');
    expect(messageOf(5)).toBe('5');
    expect(textOf(Object.assign(new Error('no stack'), { stack: '' }))).toBe('Error: no stack');
  });

  it('survive what cannot be printed', () => {
    const hostile = Object.defineProperty(new Error('x'), 'stack', {
      get: () => {
        throw new Error('no');
      },
    });
    for (const text of [textOf(hostile), textOf(Object.create(null)), messageOf(Object.create(null))]) {
      expect(text).toBe('a value that cannot be printed');
    }
  });
});
