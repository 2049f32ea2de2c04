import { ManualClock } from '@roost/time/testing';
import { never, outcomeOf } from '../workers.fixture.js';
import { within } from './within.js';

describe('within', () => {
  it('is what the promise resolves to, and leaves no timer', async () => {
    const clock = new ManualClock();

    expect(await within(clock, 100, Promise.resolve('value'))).toBe('value');
    expect(clock.pendingTimers).toBe(0);
  });

  it('is undefined when that takes longer', async () => {
    const clock = new ManualClock();
    const result = outcomeOf(within(clock, 100, never()));

    await clock.advanceAsync(99);
    expect(result.status).toBe('pending');
    await clock.advanceAsync(1);

    expect(result).toEqual({ status: 'resolved', value: undefined });
  });
});
