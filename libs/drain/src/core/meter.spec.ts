import { isSettled } from './until.fixture.js';
import { Meter } from './meter.js';

describe('Meter', () => {
  it('counts in-flight and admitted work', () => {
    const meter = new Meter();
    meter.began();
    meter.began();
    meter.ended();

    expect(meter).toMatchObject({ inFlight: 1, admitted: 2, shed: 0, forced: 0 });
  });

  it('is idle immediately when nothing is in flight', async () => {
    expect(await isSettled(new Meter().whenIdle())).toBe(true);
  });

  it('notifies all waiters when the last work ends', async () => {
    const meter = new Meter();
    meter.began();
    meter.began();
    const waiting = [meter.whenIdle(), meter.whenIdle()];
    meter.ended();
    expect(await isSettled(Promise.race(waiting))).toBe(false);
    meter.ended();

    await Promise.all(waiting);
  });

  it('can be awaited again', async () => {
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

  it('emits each change to its current subscribers', () => {
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
