import fc from 'fast-check';
import { Deadline } from './deadline.js';
import { ClockMismatchError } from './errors/clock-mismatch.error.js';
import { ManualClock } from './testing/manual-clock.js';

describe('Deadline', () => {
  it('counts down to 0 and stays there', () => {
    const clock = new ManualClock();
    clock.advance(1000);
    const deadline = Deadline.after(100, clock);

    expect(deadline.left()).toBe(100);
    clock.advance(40);
    expect(deadline.left()).toBe(60);
    clock.advance(1000);
    expect(deadline.left()).toBe(0);
  });

  it('expires at its exact instant and not before', () => {
    const clock = new ManualClock();
    const deadline = Deadline.after(100, clock);

    clock.advance(99);
    expect(deadline.expired).toBe(false);
    clock.advance(1);
    expect(deadline.expired).toBe(true);
  });

  it('is expired at once when created with 0 ms', () => {
    expect(Deadline.after(0, new ManualClock()).expired).toBe(true);
  });

  it('ignores wall-clock jumps', () => {
    const clock = new ManualClock();
    const deadline = Deadline.after(100, clock);

    clock.jumpWall(1_000_000);
    expect(deadline.left()).toBe(100);
    clock.jumpWall(-2_000_000);
    expect(deadline.left()).toBe(100);
  });

  it('sets no timer', () => {
    const clock = new ManualClock();
    Deadline.after(100, clock);

    expect(clock.pendingTimers).toBe(0);
  });

  it('never expires when created with never()', () => {
    const clock = new ManualClock();
    const deadline = Deadline.never(clock);

    clock.advance(Number.MAX_SAFE_INTEGER);
    expect(deadline.left()).toBe(Infinity);
    expect(deadline.expired).toBe(false);
  });

  it.each([-1, NaN, Infinity])('refuses %p ms', (bad) => {
    expect(() => Deadline.after(bad, new ManualClock())).toThrow('Deadline.after(ms) is');
  });

  it('uses the system clock by default', () => {
    const deadline = Deadline.after(60_000);

    expect(deadline.left()).toBeLessThanOrEqual(60_000);
    expect(deadline.min(Deadline.never())).toBe(deadline);
  });
});

describe('Deadline.min', () => {
  it('returns the deadline with less time left, at any later time', () => {
    const maybeNever = fc.option(fc.nat({ max: 1000 }));
    fc.assert(
      fc.property(maybeNever, maybeNever, fc.nat({ max: 500 }), fc.nat({ max: 2000 }), (a, b, between, later) => {
        const clock = new ManualClock();
        const make = (ms: number | null) => (ms === null ? Deadline.never(clock) : Deadline.after(ms, clock));
        const first = make(a);
        clock.advance(between);
        const second = make(b);
        const earlier = first.min(second);

        expect([first, second]).toContain(earlier);
        expect(second.min(first).left()).toBe(earlier.left());
        clock.advance(later);
        expect(earlier.left()).toBe(Math.min(first.left(), second.left()));
      }),
    );
  });

  it('returns the earlier deadline even when both have expired', () => {
    const clock = new ManualClock();
    const late = Deadline.after(20, clock);
    const early = Deadline.after(10, clock);
    clock.advance(100);

    expect(late.min(early)).toBe(early);
    expect(early.min(late)).toBe(early);
  });

  it('returns the deadline it was called on when both are equal', () => {
    const clock = new ManualClock();
    const deadline = Deadline.after(10, clock);

    expect(deadline.min(Deadline.after(10, clock))).toBe(deadline);
  });

  it('refuses deadlines of two clocks, even if one never expires', () => {
    const deadline = Deadline.after(10, new ManualClock());

    expect(() => deadline.min(Deadline.after(10, new ManualClock()))).toThrow(ClockMismatchError);
    expect(() => deadline.min(Deadline.never())).toThrow('Create both deadlines with the same Clock');
  });
});
