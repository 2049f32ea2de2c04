import { typeOf } from './type-of.js';

const hostile = {
  get type(): string {
    throw new Error('do not look');
  },
};

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
  ])('names the type of a message', (message, expected) => {
    expect(typeOf(message)).toBe(expected);
  });

  it('shortens a long tag', () => {
    expect(typeOf({ type: 'x'.repeat(500) }).length).toBeLessThan(100);
  });
});
