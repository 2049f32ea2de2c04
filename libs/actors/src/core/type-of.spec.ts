import { messageOf, textOf, typeOf } from './error-text.js';

const unprintable = Object.create(null) as object;
const hostile = {
  get type(): string {
    throw new Error('do not look');
  },
};

describe('textOf', () => {
  it('is the stack of an error, or what a value prints as', () => {
    const error = new Error('no');
    const bare = new Error('no stack');
    delete bare.stack;

    expect(textOf(error)).toBe(error.stack);
    expect(textOf(bare)).toBe('Error: no stack');
    expect([textOf('text'), textOf(undefined), textOf(Symbol('s'))]).toEqual(['text', 'undefined', 'Symbol(s)']);
    expect(textOf(unprintable)).toBe('a value that cannot be printed');
  });
});

describe('messageOf', () => {
  it('is one line, of anything', () => {
    expect([messageOf(new Error('no')), messageOf(5), messageOf(unprintable)]).toEqual([
      'no',
      '5',
      'a value that cannot be printed',
    ]);
  });
});

describe('typeOf', () => {
  class Order {}

  it.each([
    [new Order(), 'Order'],
    [{ type: 'placed' }, 'Object of type "placed"'],
    [{ type: 5 }, 'Object'],
    [{}, 'Object'],
    [Object.create(null), 'Object'],
    [new (class {})(), 'Object'],
    [[], 'Array'],
    ['text', 'string'],
    [null, 'object'],
    [undefined, 'undefined'],
    [hostile, 'a value that cannot be printed'],
  ])('names the kind of a message', (message, expected) => {
    expect(typeOf(message)).toBe(expected);
  });

  it('shortens a long tag', () => {
    expect(typeOf({ type: 'x'.repeat(500) }).length).toBeLessThan(100);
  });
});
