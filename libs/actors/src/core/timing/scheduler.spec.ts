import { advance, settle, testSystem } from '../actor-system.fixture.js';
import { InvalidActorOptionError } from '../errors/invalid-actor-option.error.js';
import { nextTick } from './scheduler.js';

describe('Scheduler', () => {
  it('calls a task once, when it is due', async () => {
    const { system, clock } = testSystem();
    const calls: number[] = [];
    system.scheduler.once(100, () => calls.push(clock.monotonic()));

    await advance({ clock }, 99);
    expect(calls).toEqual([]);
    await advance({ clock }, 1_000);
    expect(calls).toEqual([100]);
  });

  it('calls a task at a fixed rate, however far the clock jumps', async () => {
    const { system, clock } = testSystem();
    const calls: number[] = [];
    system.scheduler.every(100, () => calls.push(clock.monotonic()));

    await advance({ clock }, 350);
    expect(calls).toEqual([100, 200, 300]);
  });

  it('does not call a cancelled task, even if the task cancels itself', async () => {
    const { system, clock } = testSystem();
    let calls = 0;
    const once = system.scheduler.once(10, () => calls++);
    const every = system.scheduler.every(10, () => {
      if (++calls === 2) every.cancel();
    });
    once.cancel();
    once.cancel();
    await advance({ clock }, 1_000);

    expect(calls).toBe(2);
    await settle();
    expect(clock.pendingTimers).toBe(0);
  });

  it('logs the error of a task and continues', async () => {
    const { system, clock, logger } = testSystem();
    let calls = 0;
    system.scheduler.every(10, () => {
      calls++;
      throw new Error('not now');
    });
    system.scheduler.once(10, () => calls++);
    await advance({ clock }, 20);

    expect(calls).toBe(3);
    expect(logger.lines).toHaveLength(2);
    expect(logger.lines[0]).toContain('error: test: a scheduled task threw: Error: not now');
  });

  it('drops pending tasks when the system stops, and ignores later ones', async () => {
    const { system, clock } = testSystem();
    let calls = 0;
    system.scheduler.once(1_000, () => calls++);
    system.scheduler.every(1_000, () => calls++);
    await system.shutdown();
    system.scheduler.once(0, () => calls++);
    await advance({ clock }, 10_000);

    expect([calls, clock.pendingTimers]).toEqual([0, 0]);
  });

  it.each([-1, NaN, Infinity, '5' as unknown as number])('rejects %p', (bad) => {
    const { scheduler } = testSystem().system;

    expect(() => scheduler.once(bad, () => undefined)).toThrow(InvalidActorOptionError);
    expect(() => scheduler.every(bad, () => undefined)).toThrow(InvalidActorOptionError);
    expect(() => scheduler.every(0, () => undefined)).toThrow(InvalidActorOptionError);
  });
});

describe('nextTick', () => {
  it.each([
    [100, 100, 200],
    [100, 150, 200],
    [100, 200, 200],
    [100, 201, 300],
    [100, 1_234, 1_300],
  ])('after the tick for %d, which runs at %d, is %d', (dueAt, now, expected) => {
    expect(nextTick(dueAt, 100, now)).toBe(expected);
  });
});
