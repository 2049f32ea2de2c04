import fc from 'fast-check';
import { InvalidDataflowOptionError } from '../errors/invalid-dataflow-option.error.js';
import { formatSpan, hours, minutes, ms, ns, seconds, us } from './span.js';

const UNITS = { ns, us, ms, s: seconds, min: minutes, h: hours };

describe('spans', () => {
  it('are whole nanoseconds', () => {
    expect([ns(1), us(1), ms(1), seconds(1), minutes(1), hours(1)]).toEqual([1, 1e3, 1e6, 1e9, 60e9, 3600e9]);
    expect([ms(0), ms(0.5), seconds(1.001), ns(0.4)]).toEqual([0, 500_000, 1_001_000_000, 0]);
  });

  it.each([[-1], [NaN], [Infinity], ['5'], [undefined], [null], [5n], [Number.MAX_SAFE_INTEGER]])(
    'cannot be %p seconds long',
    (amount) => {
      expect(() => seconds(amount as never)).toThrow(InvalidDataflowOptionError);
      expect(() => seconds(amount as never)).toThrow('seconds(amount) is ');
    },
  );
});

describe('formatSpan', () => {
  it.each([
    [0, '0 ns'],
    [250, '250 ns'],
    [1_500, '1.5 us'],
    [1_000_001, '1000.001 us'],
    [5_000_000, '5 ms'],
    [1_500_000_000, '1.5 s'],
    [90_000_000_000, '1.5 min'],
    [7_200_000_000_000, '2 h'],
    [Infinity, 'forever'],
    [-Infinity, 'never'],
  ])('shows %d ns as %s', (span, text) => {
    expect(formatSpan(span)).toBe(text);
  });

  it('shows every span exactly, so that it can be read back', () => {
    const span = fc.oneof(
      fc.maxSafeNat(),
      fc.nat(),
      fc.nat({ max: 5_000 }).map((n) => n * 1e6),
      fc.nat({ max: 5_000 }).map((n) => n * 60e9),
    );
    fc.assert(
      fc.property(span, (span) => {
        const [, amount, unit] = /^([\d.]+) (\w+)$/.exec(formatSpan(span))!;
        expect(UNITS[unit as keyof typeof UNITS](Number(amount))).toBe(span);
      }),
      { numRuns: 1_000 },
    );
  });
});
