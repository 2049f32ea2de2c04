import { isNormalEnding } from './normal-ending.js';

describe('isNormalEnding', () => {
  const reason = new Error('stop');

  it('accepts the reason, or an error caused by it at any depth', () => {
    expect(isNormalEnding(reason, reason)).toBe(true);
    const caused = new Error('a', { cause: new Error('b', { cause: reason }) });
    expect(isNormalEnding(caused, reason)).toBe(true);
  });

  it('accepts an AbortError without a cause, but not one with another cause', () => {
    expect(isNormalEnding(new DOMException('x', 'AbortError'), reason)).toBe(true);
    expect(
      isNormalEnding(Object.assign(new Error('x', { cause: new Error('y') }), { name: 'AbortError' }), reason),
    ).toBe(false);
  });

  it.each([[new Error('x')], ['AbortError'], [undefined], [null], [new DOMException('x', 'TimeoutError')]])(
    'rejects %p',
    (error) => expect(isNormalEnding(error, reason)).toBe(false),
  );

  it('rejects everything when there is no reason yet', () => {
    expect(isNormalEnding(new Error('x'), undefined)).toBe(false);
    expect(isNormalEnding(undefined, undefined)).toBe(false);
  });

  it('handles causes that form a cycle, and errors that throw when they are read', () => {
    const circle = new Error('x');
    circle.cause = circle;
    expect(isNormalEnding(circle, reason)).toBe(false);
    const hostile = new Proxy(new Error('x'), {
      get: () => {
        throw new Error('no');
      },
    });
    expect(isNormalEnding(hostile, reason)).toBe(false);
  });
});
