import { messageOf, stackOf, textOf } from './error-text.js';

describe('messageOf', () => {
  const hostile = Object.defineProperty(new Error('x'), 'message', {
    get: () => {
      throw new Error('no message for you');
    },
  });

  it.each<[string, unknown, string]>([
    ['an error', new TypeError('bad'), 'bad'],
    ['a text', 'bad', 'bad'],
    ['undefined', undefined, 'undefined'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    ['an object without a prototype', Object.create(null), 'a value that cannot be printed'],
    ['an error whose message throws', hostile, 'a value that cannot be printed'],
    ['an error whose message is no text', Object.assign(new Error(), { message: 5 }), '5'],
  ])('finds a text for %s', (_, value, expected) => {
    expect(messageOf(value)).toBe(expected);
  });

  it('textOf finds one for what cannot be printed', () => {
    expect([textOf(Object.create(null)), textOf(5)]).toEqual(['a value that cannot be printed', '5']);
  });
});

describe('stackOf', () => {
  it('has the stack of an error, and the message of what has none', () => {
    const stack = {
      get: (): never => {
        throw new Error('no stack for you');
      },
    };
    expect(stackOf(new Error('boom'))).toMatch(/^Error: boom\n +at /);
    expect(stackOf(Object.assign(new Error('boom'), { stack: undefined }))).toBe('boom');
    expect(stackOf('boom')).toBe('boom');
    expect(stackOf(Object.create(null))).toBe('a value that cannot be printed');
    expect(stackOf(Object.defineProperty(new Error('boom'), 'stack', stack))).toBe('boom');
  });
});
