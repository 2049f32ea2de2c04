import { outcomeOf } from '../workers.fixture.js';
import { MAX_WAIT_MS, testSlots, TWO_AND_ONE } from './child-slots.fixture.js';

describe('ChildSlots.stop', () => {
  it('stops all children, and resolves when the last one has exited', async () => {
    const { slots, children, happened, boot, settle } = testSlots(TWO_AND_ONE);
    await boot();

    const stopped = outcomeOf(slots.stop());
    expect(children.all.map(({ stops }) => stops)).toEqual([['stop'], ['stop'], ['stop']]);
    for (const child of children.all) {
      await settle();
      expect(stopped.status).toBe('pending');
      child.exit(0);
    }
    await settle();

    expect(stopped).toEqual({ status: 'resolved', value: [] });
    expect([slots.alive.size, happened]).toEqual([0, ['up']]);
  });

  it('resolves immediately when no child was started', async () => {
    expect(await testSlots().slots.stop()).toEqual([]);
  });

  it('resolves immediately when the only child waits for its restart', async () => {
    const { slots, children, clock, boot, settle } = testSlots();
    await boot();
    children.last.exit(1);
    await settle();

    expect(await slots.stop()).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('resolves for every caller', async () => {
    const { slots, children, boot, settle } = testSlots();
    await boot();

    const both = [outcomeOf(slots.stop()), outcomeOf(slots.stop())];
    expect(children.last.stops).toEqual(['stop']);
    children.last.exit(0);
    await settle();

    expect(both.map(({ status }) => status)).toEqual(['resolved', 'resolved']);
  });

  it('names the children that did not exit cleanly', async () => {
    const { slots, children, clock, boot, settle } = testSlots([{ count: 4 }]);
    await boot();
    const [a, b, c, d] = children.all;

    const stopped = outcomeOf(slots.stop());
    a!.exit(0);
    b!.exit(7);
    c!.exit('SIGSEGV');
    await clock.advanceAsync(MAX_WAIT_MS + 1_000);
    expect(d!.kills).toBe(1);
    d!.exit('SIGKILL');
    await settle();

    expect(stopped.value).toEqual([
      'web#2 (pid 2) ended with exit code 7',
      'web#3 (pid 3) ended with SIGSEGV',
      'web#4 (pid 4) had to be killed 3000 ms after the stop request',
    ]);
  });

  it('does not report exits before the stop', async () => {
    const { slots, children, clock, boot, settle } = testSlots();
    await boot();
    children.last.exit(7);
    await clock.advanceAsync(100);

    const stopped = outcomeOf(slots.stop());
    children.last.exit('SIGTERM');
    await settle();

    expect(stopped.value).toEqual([]);
  });
});

describe('ChildSlots.kill', () => {
  it('kills each living child once', async () => {
    const { slots, children, clock, boot } = testSlots([{ count: 2 }]);
    await boot();
    const stopped = outcomeOf(slots.stop());
    children.all[0]!.exit(0);
    await clock.advanceAsync(500);

    slots.kill();
    slots.kill();
    expect(children.all.map(({ kills }) => kills)).toEqual([0, 1]);
    children.all[1]!.exit('SIGKILL');
    await clock.advanceAsync(60_000);

    expect(stopped.value).toEqual(['web#2 (pid 2) had to be killed 500 ms after the stop request']);
    expect(children.all[1]!.kills).toBe(1);
  });

  it('kills both children during a replacement', async () => {
    const { slots, children, boot } = testSlots();
    await boot();
    void slots.roll();
    void slots.stop();

    slots.kill();

    expect(children.all.map(({ kills }) => kills)).toEqual([1, 1]);
  });
});
