import { neverRestart } from '../restart-policy.js';
import { outcomeOf } from '../workers.fixture.js';
import { BOOT_TIMEOUT_MS, type FakeChild, replacing, testSlots } from './child-slots.fixture.js';

describe('ChildSlot.replace() together with stop()', () => {
  it('stops both children and resolves', async () => {
    const { slot, old, successor, replaced, settle, children } = await replacing();

    slot.stop();
    expect([old.stops, successor.stops]).toEqual([['stop'], ['stop']]);
    for (const child of [successor, old]) child.exit(0);
    await settle();

    expect(replaced).toEqual({ status: 'resolved', value: undefined });
    expect([slot.state, children.all.length]).toEqual(['stopped', 2]);
  });

  it('resolves when a stop arrives while the predecessor is stopping', async () => {
    const { slots, old, successor, replaced, settle, logger } = await replacing();
    successor.ready();
    await settle();
    logger.lines.length = 0;

    const problems = outcomeOf(slots.stop());
    old.exit(1);
    await settle();
    expect([old.stops, successor.stops, problems.status]).toEqual([['replaced'], ['stop'], 'pending']);
    successor.exit(0);
    await settle();

    expect(replaced).toEqual({ status: 'resolved', value: undefined });
    expect(problems.value).toEqual(['web#1 (pid 1) ended with exit code 1']);
    expect(logger.lines).toEqual([]);
  });

  it('reports no problem with a successor that was killed before the stop', async () => {
    const { slots, old, successor, clock, settle } = await replacing();
    await clock.advanceAsync(BOOT_TIMEOUT_MS);
    expect(successor.kills).toBe(1);

    const problems = outcomeOf(slots.stop());
    old.exit(0);
    await settle();
    expect(problems.status).toBe('pending');
    successor.exit('SIGKILL');
    await settle();

    expect(problems.value).toEqual([]);
  });

  it('starts no child after a stop', async () => {
    const { slot, children, boot } = testSlots();
    await boot();
    slot.stop();

    expect(await slot.replace()).toBeUndefined();
    expect(children.all).toHaveLength(1);
  });
});

describe('ChildSlot.replace() of a child that is not running', () => {
  it('waits for a child that is starting, because it is as new as a successor', async () => {
    const { slots, slot, children, settle } = testSlots();
    slots.start();
    const replaced = outcomeOf(slot.replace());
    await settle();
    expect(replaced.status).toBe('pending');

    children.last.ready();
    await settle();

    expect(replaced).toEqual({ status: 'resolved', value: undefined });
    expect([children.all.length, children.last.stops]).toEqual([1, []]);
  });

  it.each([
    ['ends', (child: FakeChild) => child.exit(1)],
    ['takes too long', () => undefined],
  ])('fails when the starting child %s', async (_what, act) => {
    const { slots, slot, children, clock } = testSlots();
    slots.start();
    const replaced = outcomeOf(slot.replace());

    act(children.last);
    await clock.advanceAsync(BOOT_TIMEOUT_MS);

    expect(replaced.value).toBe('web#1 (pid 1) did not come up');
  });

  it('resolves when it is stopped while a child is starting', async () => {
    const { slots, slot, children, settle } = testSlots();
    slots.start();
    const replaced = outcomeOf(slot.replace());

    slot.stop();
    children.last.exit(1);
    await settle();

    expect(replaced).toEqual({ status: 'resolved', value: undefined });
  });

  it('starts a child that waits for its restart immediately', async () => {
    const { slot, children, clock, boot, settle } = testSlots();
    await boot();
    children.last.exit(1);
    await settle();

    const replaced = outcomeOf(slot.replace());
    expect([slot.state, children.all.length, clock.pendingTimers]).toEqual(['starting', 2, 1]);
    children.last.ready();
    await clock.advanceAsync(60_000);

    expect([replaced.status, children.all.length]).toEqual(['resolved', 2]);
  });

  it.each([0, 1])('does nothing for a child that is not restarted after exit code %p', async (code) => {
    const { slot, children, boot, settle } = testSlots([{ restart: neverRestart() }]);
    await boot();
    children.last.exit(code);
    await settle();

    expect(await slot.replace()).toBeUndefined();
    expect(children.all).toHaveLength(1);
  });
});
