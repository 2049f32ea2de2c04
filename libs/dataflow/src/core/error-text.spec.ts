import { messageOf, textOf } from './error-text.js';

const unprintable = Object.create(null) as object;

class Nasty extends Error {
  override get message(): string {
    throw new Error('no message');
  }
}

describe('the text of an error', () => {
  it('has the stack for the log and the message for a line', () => {
    const error = new Error('broken');
    expect(textOf(error)).toBe(error.stack);
    expect(messageOf(error)).toBe('broken');
  });

  it('without a stack is the error as a string', () => {
    const error = new Error('broken');
    delete error.stack;
    expect(textOf(error)).toBe('Error: broken');
  });

  it('is there for whatever is thrown', () => {
    expect([textOf('why'), messageOf('why'), messageOf(undefined)]).toEqual(['why', 'why', 'undefined']);
    expect([textOf(unprintable), messageOf(unprintable)]).toEqual(Array(2).fill('a value that cannot be printed'));
    expect(messageOf(new Nasty())).toBe('a value that cannot be printed');
  });
});
