import { Ping } from './messages.fixture.js';
import { show, showError, showList } from './show.js';

describe('show', () => {
  it('prints messages on one line, with their class', () => {
    expect(show(new Ping(1))).toBe('Ping { n: 1 }');
    expect(show({ text: 'a'.repeat(50), list: ['b'.repeat(50), 'c'.repeat(50)] })).not.toContain('\n');
  });

  it('shortens long values', () => {
    expect(show('x'.repeat(10_000)).length).toBeLessThan(300);
    expect(show(Array.from({ length: 1_000 }, () => 1)).length).toBeLessThan(200);
  });
});

describe('showList', () => {
  it('prints the first ten and counts the rest', () => {
    expect(showList([1, 2])).toBe('1, 2');
    expect(showList(Array.from({ length: 12 }, (_, i) => i))).toBe('0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more');
  });
});

describe('showError', () => {
  it('prints any thrown value', () => {
    const unprintable = new Error();
    Object.defineProperty(unprintable, 'message', {
      get: () => {
        throw new Error('no');
      },
    });

    expect(showError(new TypeError('bad'))).toBe('TypeError: bad');
    expect(showError({ reason: 1 })).toBe('{ reason: 1 }');
    expect(showError(unprintable)).toBe('a value that cannot be printed');
  });
});
