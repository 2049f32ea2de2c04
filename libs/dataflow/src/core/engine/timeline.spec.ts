import { ManualClock } from '@roost/time/testing';
import { span } from '../time/span.js';
import { Timeline } from './timeline.js';

describe('Timeline', () => {
  it('counts nanoseconds since the start, regardless of wall-clock corrections', () => {
    const clock = new ManualClock({ now: 5_000 });
    const timeline = new Timeline(clock);
    clock.advance(1.5);
    clock.jumpWall(60_000);
    expect(timeline.elapsed()).toBe(1_500_000);
    expect(timeline.startedAtMs).toBe(5_000);
    expect(timeline.msUntil(span.toNs(span.ms(2)))).toBe(0.5);
    expect(timeline.msUntil(span.toNs(span.ms(1)))).toBe(0);
  });

  it('is negative before a start in the future', () => {
    const timeline = new Timeline(new ManualClock({ now: 5_000 }));
    timeline.start(7_000);
    expect(timeline.elapsed()).toBe(-2e9);
    expect(timeline.msUntil(0)).toBe(2_000);
  });

  it('counts whole nanoseconds, so that a due tag is never early by a fraction', () => {
    const clock = new ManualClock();
    clock.advance(1e6 / 3);
    const timeline = new Timeline(clock);
    for (let i = 1; i <= 100; i++) {
      clock.advance(0.001);
      expect(timeline.elapsed()).toBe(span.us(i));
    }
  });

  it('can report the start of an earlier run', () => {
    const clock = new ManualClock({ now: 5_000 });
    const timeline = new Timeline(clock);
    clock.advance(1);
    timeline.startAgain(70);
    expect([timeline.startedAtMs, timeline.elapsed()]).toEqual([70, 0]);
  });

  it('waits until a given time', async () => {
    const clock = new ManualClock();
    const timeline = new Timeline(clock);
    let isOver = false;
    void timeline.until(span.toNs(span.ms(10))).then(() => (isOver = true));
    await clock.advanceAsync(9.9);
    expect(isOver).toBe(false);
    await clock.advanceAsync(0.1);
    expect(isOver).toBe(true);
  });
});
