import { ManualClock } from '@roost/time/testing';
import { isSettled } from './until.fixture.js';
import { within } from './within.js';

const never = new Promise<void>(() => undefined);

describe('within', () => {
  it('is true when the promise is first, and leaves no timer', async () => {
    const clock = new ManualClock();

    expect(await within(clock, 100, Promise.resolve())).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is false when the time is first', async () => {
    const clock = new ManualClock();
    const result = within(clock, 100, never);
    await clock.advanceAsync(99);
    expect(await isSettled(result)).toBe(false);
    await clock.advanceAsync(1);

    expect(await result).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });

  it('stays false when the promise comes later', async () => {
    const clock = new ManualClock();
    let resolve = (): void => undefined;
    const result = within(clock, 100, new Promise<void>((done) => (resolve = done)));
    await clock.advanceAsync(100);
    resolve();

    expect(await result).toBe(false);
  });

  it.each([0, -5])('with %d ms gives what has settled already its chance', async (ms) => {
    const clock = new ManualClock();
    const [settled, pending] = [within(clock, ms, Promise.resolve()), within(clock, ms, never)];
    await clock.advanceAsync(0);

    expect([await settled, await pending]).toEqual([true, false]);
  });
});
