import { isSettled } from './until.fixture.js';
import { Meter } from './meter.js';

describe('Meter', () => {
  it('counts what is in flight and what was ever admitted', () => {
    const meter = new Meter();
    meter.began();
    meter.began();
    meter.ended();

    expect(meter).toMatchObject({ inFlight: 1, admitted: 2, shed: 0, forced: 0 });
  });

  it('is idle at once when nothing is in flight', async () => {
    expect(await isSettled(new Meter().whenIdle())).toBe(true);
  });

  it('tells everybody who waits when the last one ends', async () => {
    const meter = new Meter();
    meter.began();
    meter.began();
    const waiting = [meter.whenIdle(), meter.whenIdle()];
    meter.ended();
    expect(await isSettled(Promise.race(waiting))).toBe(false);
    meter.ended();

    await Promise.all(waiting);
  });

  it('can be waited for again', async () => {
    const meter = new Meter();
    for (let round = 0; round < 3; round++) {
      meter.began();
      const idle = meter.whenIdle();
      expect(await isSettled(idle)).toBe(false);
      meter.ended();
      await idle;
    }
    expect(meter.admitted).toBe(3);
  });

  it('tells of each change, to those who listen at the time', () => {
    const meter = new Meter();
    const seen: number[] = [];
    meter.began();
    const subscription = meter.changes$.subscribe((count) => seen.push(count));
    meter.began();
    meter.ended();
    subscription.unsubscribe();
    meter.ended();

    expect(seen).toEqual([2, 1]);
  });
});
