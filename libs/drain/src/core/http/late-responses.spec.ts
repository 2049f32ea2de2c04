import { ManualClock } from '@roost/time/testing';
import { isSettled } from '../until.fixture.js';
import { LateResponses } from './late-responses.js';
import type { AnyResponse } from './server.js';
import { unsent } from './test-servers.fixture.js';

describe('LateResponses', () => {
  it('waits for the last response to end, and leaves no timer running', async () => {
    const [late, clock] = [new LateResponses(), new ManualClock()];
    const [a, b] = [unsent().response, unsent().response];
    late.add(a);
    late.add(b);
    const settled = late.settle(100, clock);

    expect(late.delete(a)).toBe(true);
    expect(await isSettled(settled)).toBe(false);
    expect(late.delete(b)).toBe(true);
    await settled;
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not wait without late responses', async () => {
    const clock = new ManualClock();
    await new LateResponses().settle(100, clock);

    expect(clock.pendingTimers).toBe(0);
  });

  it('destroys HTTP/2 streams that have not ended in time, and leaves HTTP/1 responses alone', async () => {
    const [late, clock] = [new LateResponses(), new ManualClock()];
    const destroyed: string[] = [];
    late.add({ stream: { destroy: () => destroyed.push('stream') } } as unknown as AnyResponse);
    late.add(unsent().response);
    const settled = late.settle(100, clock);
    await clock.advanceAsync(99);
    expect(destroyed).toEqual([]);
    await clock.advanceAsync(1);
    await settled;

    expect(destroyed).toEqual(['stream']);
  });

  it('tracks a response from its addition to its end', () => {
    const late = new LateResponses();
    const { response } = unsent();
    expect(late.delete(response)).toBe(false);

    late.add(response);
    expect(late.has(response)).toBe(true);
    late.delete(response);
    expect(late.has(response)).toBe(false);
  });
});
