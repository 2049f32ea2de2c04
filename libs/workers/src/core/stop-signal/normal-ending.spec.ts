import { isNormalEnding } from './normal-ending.js';

describe('isNormalEnding', () => {
  const reason = new Error('stop');

  it('is the reason, or what was caused by it, at some depth', () => {
    expect(isNormalEnding(reason, reason)).toBe(true);
    const caused = new Error('a', { cause: new Error('b', { cause: reason }) });
    expect(isNormalEnding(caused, reason)).toBe(true);
  });

  it('is an AbortError that does not tell its cause, and not one that tells another', () => {
    expect(isNormalEnding(new DOMException('x', 'AbortError'), reason)).toBe(true);
    expect(
      isNormalEnding(Object.assign(new Error('x', { cause: new Error('y') }), { name: 'AbortError' }), reason),
    ).toBe(false);
  });

  it.each([[new Error('x')], ['AbortError'], [undefined], [null], [new DOMException('x', 'TimeoutError')]])(
    'is not %p',
    (error) => expect(isNormalEnding(error, reason)).toBe(false),
  );

  it('is nothing when there is no reason yet', () => {
    expect(isNormalEnding(new Error('x'), undefined)).toBe(false);
    expect(isNormalEnding(undefined, undefined)).toBe(false);
  });

  it('looks at causes that go round in a circle, and at errors that throw when looked at', () => {
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
