import fc from 'fast-check';
import { at } from '../run/graph.fixture.js';
import { formatTag } from './format-tag.js';
import { showClocks } from './show-clocks.js';
import { span } from './span.js';
import {
  compareTags,
  earlierOf,
  FOREVER,
  isBefore,
  isSame,
  laterOf,
  NEVER,
  nextMicrostep,
  NO_DELAY,
  ONE_MICROSTEP,
  plus,
  START,
} from './tag.js';

const tag = fc.record({ time: fc.nat({ max: 3 }), microstep: fc.nat({ max: 3 }) });
const anyTag = fc.oneof(tag, fc.constantFrom(NEVER, FOREVER));
const delay = fc.oneof(
  fc.constantFrom(NO_DELAY, ONE_MICROSTEP),
  fc.nat({ max: 3 }).map((time) => at(time)),
);

describe('tags', () => {
  it('are ordered by time, and by microstep at the same time', () => {
    const sorted = [NEVER, START, at(0, 1), at(1), at(1, 7), at(2), FOREVER];
    expect(sorted.toReversed().sort(compareTags)).toEqual(sorted);
  });

  it('have the same order in all functions', () => {
    fc.assert(
      fc.property(anyTag, anyTag, (a, b) => {
        const order = Math.sign(compareTags(a, b));
        expect(Math.sign(compareTags(b, a)) + order).toBe(0);
        expect(isBefore(a, b)).toBe(order < 0);
        expect(isSame(a, b)).toBe(order === 0);
        expect(earlierOf(a, b)).toEqual(order <= 0 ? a : b);
        expect(laterOf(a, b)).toEqual(order >= 0 ? a : b);
      }),
    );
  });

  it('drop the microstep when time is added', () => {
    expect(plus(at(5, 3), at(2))).toEqual(at(7, 0));
    expect(plus(at(5, 3), ONE_MICROSTEP)).toEqual(at(5, 4));
    expect(plus(at(5, 3), NO_DELAY)).toEqual(at(5, 3));
  });

  it('keep their order when the same delay is added', () => {
    fc.assert(
      fc.property(tag, tag, delay, (a, b, delay) => {
        const [first, second] = [earlierOf(a, b), laterOf(a, b)];
        expect(isBefore(plus(second, delay), plus(first, delay))).toBe(false);
      }),
    );
  });

  it('have nothing between a tag and its next microstep', () => {
    fc.assert(
      fc.property(tag, tag, (a, b) => {
        if (isBefore(a, b)) expect(isBefore(b, nextMicrostep(a))).toBe(false);
      }),
    );
  });

  it('NEVER and FOREVER do not change when time is added', () => {
    expect([plus(NEVER, at(5)), plus(FOREVER, at(5))]).toEqual([NEVER, FOREVER]);
  });

  it('are formatted with time and microstep', () => {
    expect([at(span.ms(10), 2), START, NEVER, FOREVER].map(formatTag)).toEqual([
      '(10 ms, 2)',
      '(0 ns, 0)',
      'never',
      'forever',
    ]);
    expect(showClocks(at(span.ms(10), 2), 12_345_678)).toBe('(10 ms, 2) at 12.346 ms');
  });
});
