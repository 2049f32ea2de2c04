import * as api from './index.js';

describe('@roost/time', () => {
  it('exports these names and no others', () => {
    expect(Object.keys(api).sort()).toEqual([
      'ClockMismatchError',
      'Deadline',
      'InvalidDurationError',
      'InvalidTimeOptionError',
      'MAX_TIMEOUT_MS',
      'TimeError',
      'assertTimeoutMs',
      'formatDuration',
      'hours',
      'minutes',
      'ms',
      'parseDuration',
      'seconds',
      'settlesWithin',
      'sleep',
      'systemClock',
    ]);
  });
});
