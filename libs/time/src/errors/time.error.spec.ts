import { ClockMismatchError } from './clock-mismatch.error.js';
import { InvalidDurationError } from './invalid-duration.error.js';
import { InvalidTimeOptionError } from './invalid-time-option.error.js';
import { RunawayTimersError } from './runaway-timers.error.js';
import { TimeAlreadyMovingError } from './time-already-moving.error.js';
import { TimeError } from './time.error.js';

describe('TimeError', () => {
  it.each([
    [
      'InvalidDurationError',
      'TIME_INVALID_DURATION',
      new InvalidDurationError('timeoutMs', -1, 'a number', 'Write 1.'),
    ],
    ['InvalidTimeOptionError', 'TIME_INVALID_OPTION', new InvalidTimeOptionError('clokc', 1, 'left out')],
    ['ClockMismatchError', 'TIME_CLOCK_MISMATCH', new ClockMismatchError()],
    ['TimeAlreadyMovingError', 'TIME_ALREADY_MOVING', new TimeAlreadyMovingError('advance', 'runNext')],
    ['RunawayTimersError', 'TIME_RUNAWAY_TIMERS', new RunawayTimersError(10, 0)],
  ])('is the base of %s, whose code is %s', (name, code, error) => {
    expect(error).toBeInstanceOf(TimeError);
    expect(error).toMatchObject({ name, code });
  });
});

describe('InvalidDurationError', () => {
  it('keeps option and value as fields and names both in the message', () => {
    const error = new InvalidDurationError('drain.timeoutMs', '5s', 'a number > 0', 'Write 5000.');

    expect(error).toMatchObject({ option: 'drain.timeoutMs', value: '5s' });
    expect(error.message).toContain("drain.timeoutMs is '5s', but must be a number > 0. Write 5000.");
  });

  it.each([[Symbol('s')], [Object.create(null)], [1n], ['x'.repeat(10_000)]])(
    'can format any value',
    (value: unknown) => {
      expect(new InvalidDurationError('x', value, 'y', 'z').message.length).toBeLessThan(200);
    },
  );
});
