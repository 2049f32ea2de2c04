import fc from 'fast-check';
import { formatDuration, hours, minutes, ms, parseDuration, seconds } from './duration.js';
import { InvalidDurationError } from './errors/invalid-duration.error.js';

describe('ms, seconds, minutes, hours', () => {
  it('convert to milliseconds', () => {
    expect([ms(250), seconds(1.5), minutes(2), hours(1)]).toEqual([250, 1500, 120_000, 3_600_000]);
  });

  it('add no floating-point noise', () => {
    expect(1.001 * 1000).not.toBe(1001);
    expect(seconds(1.001)).toBe(1001);
  });

  it.each([
    ['ms(n)', ms],
    ['seconds(n)', seconds],
    ['minutes(n)', minutes],
    ['hours(n)', hours],
  ])('%s refuses anything but a finite number >= 0', (option, unit) => {
    for (const bad of [-1, NaN, Infinity, '5' as unknown as number]) {
      expect(() => unit(bad)).toThrow(expect.objectContaining({ code: 'TIME_INVALID_DURATION', option, value: bad }));
    }
  });

  it('refuse an amount that overflows', () => {
    expect(() => hours(Number.MAX_VALUE)).toThrow(InvalidDurationError);
  });
});

describe('parseDuration', () => {
  it.each([
    ['250ms', 250],
    ['1.5s', 1500],
    ['2m', 120_000],
    ['1h', 3_600_000],
    ['1h30m', 5_400_000],
    ['1h2m3s4ms', 3_723_004],
    ['1.001s', 1001],
    ['250', 250],
    ['0.5', 0.5],
    ['0', 0],
    ['0s', 0],
    ['  2 m 5 s ', 125_000],
  ])('parses %p as %p ms', (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });

  it.each([
    [''],
    [' '],
    ['s'],
    ['-1s'],
    ['+1s'],
    ['1e3'],
    ['1,5s'],
    ['.5s'],
    ['1.s'],
    ['1 2ms'],
    ['5 seconds'],
    ['5S'],
    ['1d'],
    ['30m1h'],
    ['1m1m'],
    ['1h30'],
    ['Infinity'],
    ['NaN'],
    ['0x10'],
    ['1constructor'],
    [undefined],
    [250],
  ])('refuses %p', (text) => {
    expect(() => parseDuration(text as string)).toThrow(InvalidDurationError);
  });

  it('refuses more digits than a number can hold', () => {
    const digits = '9'.repeat(400);

    expect(() => parseDuration(digits)).toThrow(InvalidDurationError);
    expect(() => parseDuration(`${digits}s`)).toThrow(InvalidDurationError);
  });

  it('names the value and valid formats in the error', () => {
    expect(() => parseDuration('5 seconds')).toThrow(
      "duration is '5 seconds', but must be a duration. " +
        "Write '250ms', '1.5s', '2m', '1h', '1h30m' or a plain number of milliseconds such as '250'.",
    );
  });

  it('adds up all amounts written largest unit first', () => {
    const amount = fc.option(fc.nat({ max: 10_000 }));
    fc.assert(
      fc.property(amount, amount, amount, amount, (h, m, s, millis) => {
        const parts = [h, m, s, millis];
        fc.pre(parts.some((part) => part !== null));
        const text = parts.map((part, i) => (part === null ? '' : `${part}${['h', 'm', 's', 'ms'][i]}`)).join('');

        expect(parseDuration(text)).toBe(hours(h ?? 0) + minutes(m ?? 0) + seconds(s ?? 0) + ms(millis ?? 0));
      }),
    );
  });

  it('parses decimals exactly like the unit functions', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 0, max: 6 }), (digits, decimals) => {
        const text = (digits / 10 ** decimals).toFixed(decimals);

        expect(parseDuration(`${text}s`)).toBe(seconds(Number(text)));
        expect(parseDuration(text)).toBe(Number(text));
      }),
    );
  });

  it('throws InvalidDurationError or returns a finite number >= 0, for any text', () => {
    const nearMiss = fc
      .array(fc.constantFrom('1', '0', '.', ' ', 'h', 'm', 's', 'ms', '-', 'e'))
      .map((p) => p.join(''));
    fc.assert(
      fc.property(fc.oneof(nearMiss, fc.string()), (text) => {
        try {
          const result = parseDuration(text);
          expect(Number.isFinite(result) && result >= 0).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidDurationError);
        }
      }),
    );
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0 ms'],
    [-0, '0 ms'],
    [0.04, '0 ms'],
    [0.4, '0.4 ms'],
    [9.94, '9.9 ms'],
    [9.96, '10 ms'],
    [12.3, '12 ms'],
    [999.4, '999 ms'],
    [999.7, '1 s'],
    [1250, '1.25 s'],
    [1500, '1.5 s'],
    [59_990, '59.99 s'],
    [59_999, '1 m'],
    [125_000, '2 m 5 s'],
    [3_599_600, '1 h'],
    [3_605_000, '1 h 5 s'],
    [5_400_000, '1 h 30 m'],
    [176_400_000, '49 h'],
  ])('formats %p as %p', (value, expected) => {
    expect(formatDuration(value)).toBe(expected);
  });

  it.each([
    [Infinity, 'forever'],
    [-Infinity, '-forever'],
    [-1250, '-1.25 s'],
    [-0.01, '0 ms'],
    [NaN, 'NaN ms'],
  ])('does not throw for %p but returns %p', (value, expected) => {
    expect(formatDuration(value)).toBe(expected);
  });

  const duration = fc.oneof(
    fc.double({ min: 0, max: 20, noNaN: true }),
    fc.double({ min: 0, max: 120_000, noNaN: true }),
    fc.double({ min: 0, max: 1e12, noNaN: true }),
  );

  it('can be parsed by parseDuration, within its rounding', () => {
    fc.assert(
      fc.property(duration, (value) => {
        const rounding = value < 10 ? 0.05 : value < 1000 ? 0.5 : value < 60_000 ? 5 : 500;

        expect(Math.abs(parseDuration(formatDuration(value)) - value)).toBeLessThanOrEqual(rounding * 1.000001);
      }),
    );
  });

  it('returns the same text when its output is parsed and formatted again', () => {
    fc.assert(
      fc.property(duration, (value) => {
        const text = formatDuration(value);

        expect(formatDuration(parseDuration(text))).toBe(text);
      }),
    );
  });
});
