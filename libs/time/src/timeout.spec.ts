import { InvalidDurationError } from './errors/invalid-duration.error.js';
import { MAX_TIMEOUT_MS } from '@roost/kernel';
import { assertTimeoutMs } from './timeout.js';

describe('assertTimeoutMs', () => {
  it.each([0.5, 1, 5000, MAX_TIMEOUT_MS])('accepts %p', (value) => {
    expect(() => assertTimeoutMs(value, 'timeoutMs')).not.toThrow();
  });

  it.each([[0], [-1], [NaN], [Infinity], [MAX_TIMEOUT_MS + 1], ['5000'], [5000n], [null], [undefined]])(
    'refuses %p',
    (value) => {
      expect(() => assertTimeoutMs(value, 'timeoutMs')).toThrow(InvalidDurationError);
    },
  );

  it('names the option, the value and a valid replacement', () => {
    expect(() => assertTimeoutMs('5s', 'drain.timeoutMs')).toThrow(
      "drain.timeoutMs is '5s', but must be a number of milliseconds > 0 and <= 2147483647. " +
        'Write a number such as 5000 or seconds(5); pass text from an env variable through parseDuration() first.',
    );
  });
});
