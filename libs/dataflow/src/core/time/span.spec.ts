import fc from 'fast-check';
import { InvalidDataflowOptionError } from '../errors/invalid-dataflow-option.error.js';
import { sleep } from '@roost/time';
import { formatSpan, type Span, span } from './span.js';

const { ns, us, ms, seconds, minutes, hours } = span;
const UNITS = { ns, us, ms, s: seconds, min: minutes, h: hours };

describe('spans', () => {
  it('are whole nanoseconds', () => {
    expect([ns(1), us(1), ms(1), seconds(1), minutes(1), hours(1)]).toEqual([1, 1e3, 1e6, 1e9, 60e9, 3600e9]);
    expect([ms(0), ms(0.5), seconds(1.001), ns(0.4)]).toEqual([0, 500_000, 1_001_000_000, 0]);
  });

  it.each([[-1], [NaN], [Infinity], ['5'], [undefined], [null], [5n], [Number.MAX_SAFE_INTEGER]])(
    'reject a length of %p seconds',
    (amount) => {
      expect(() => seconds(amount as never)).toThrow(InvalidDataflowOptionError);
      expect(() => seconds(amount as never)).toThrow('`span.seconds(amount)` is ');
    },
  );

  it('add up, scale and compare', () => {
    expect([span.add(ms(500), seconds(2)), span.scale(ms(10), 1.5), span.scale(ms(10), 0)]).toEqual([
      ms(2_500),
      ms(15),
      ms(0),
    ]);
    expect([ms(5) < ms(6), ms(5) > us(5_000), ms(5) === us(5_000)]).toEqual([true, false, true]);
  });

  it.each([
    ['span.add(a, b)', () => span.add(hours(2_400), hours(2_400))],
    ['span.scale(length, factor)', () => span.scale(ms(10), -1)],
  ])('reject results outside of their limits: %s', (call, run) => {
    expect(run).toThrow(`\`${call}\` is `);
  });

  it('become a number only through a named function', () => {
    expect([span.toNs(ms(5)), span.toMs(seconds(2)), span.toMs(us(1))]).toEqual([5e6, 2_000, 0.001]);
  });
});

/** Never called. The build checks every `@ts-expect-error`. */
export const refused = [
  // @ts-expect-error a span is not a number of milliseconds
  () => sleep(span.ms(500)),
  () => sleep(span.toMs(span.ms(500))),
  // @ts-expect-error a number is not a span
  (): Span => 500,
  // @ts-expect-error arithmetic on a span is not allowed
  () => span.ms(500) * 2,
  // @ts-expect-error a span cannot be compared with a number
  () => span.ms(500) < 500,
];

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
  ])('formats %d ns as %s', (span, text) => {
    expect(formatSpan(span)).toBe(text);
  });

  it('formats every span exactly, so that it can be parsed back', () => {
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
