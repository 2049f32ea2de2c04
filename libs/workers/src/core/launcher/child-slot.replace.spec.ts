import { restartBackoff, neverRestart } from '../restart-policy.js';
import { outcomeOf } from '../workers.fixture.js';
import { BOOT_TIMEOUT_MS, type FakeChild, MAX_WAIT_MS, replacing, testSlots } from './child-slots.fixture.js';

describe('ChildSlot.replace', () => {
  it('starts a successor, and stops the predecessor when the successor is up', async () => {
    const { slot, slots, old, successor, replaced, settle, logger } = await replacing();
    expect([old.stops, slot.children.length, slots.alive.size]).toEqual([[], 2, 2]);

    successor.ready();
    await settle();
    expect([old.stops, successor.stops, replaced.status]).toEqual([['replaced'], [], 'pending']);
    old.exit(0);
    await settle();

    expect(replaced).toEqual({ status: 'resolved', value: undefined });
    expect([slot.state, slots.alive.size]).toEqual(['running', 1]);
    expect(logger.lines).toEqual(['log: web#1 (pid 2) is up after 0 ms']);
  });

  it('shows both children while both are alive', async () => {
    const { slot, old, successor, settle } = await replacing();
    const shown = () => slot.children.map(({ handle, state }) => `${handle.pid} ${state}`);
    expect(shown()).toEqual(['1 running', '2 starting']);

    successor.ready();
    await settle();
    expect(shown()).toEqual(['1 stopping', '2 running']);
    old.exit(0);
    await settle();
    expect(shown()).toEqual(['2 running']);
  });

  it('restarts the successor by its policy after it has taken over', async () => {
    const { slot, old, successor, children, clock, settle } = await replacing();
    successor.ready();
    await settle();
    old.exit(0);
    successor.exit(1);
    await clock.advanceAsync(100);

    expect([slot.state, children.alive.map(({ pid }) => pid)]).toEqual(['starting', [3]]);
  });

  it('reports a predecessor that had to be killed or exited with an error, and still succeeds', async () => {
    const { old, successor, clock, replaced, settle, logger } = await replacing();
    successor.ready();
    await clock.advanceAsync(MAX_WAIT_MS + 1_000);
    expect(old.kills).toBe(1);
    old.exit('SIGKILL');
    await settle();

    expect(replaced).toEqual({ status: 'resolved', value: undefined });
    expect(logger.lines.at(-1)).toBe('warn: web#1 (pid 1) had to be killed 3000 ms after the stop request');
  });

  it('fails when the successor exits before it is up', async () => {
    const { slot, old, successor, children, clock, replaced, settle } = await replacing();

    successor.exit(1, 'bad config');
    await settle();

    expect(replaced.value).toBe('web#1 (pid 2) ended with exit code 1 before it took over:\nbad config');
    await clock.advanceAsync(60_000);
    expect([slot.state, old.stops, children.all.length]).toEqual(['running', [], 2]);
  });

  it('fails when the successor exits in the moment it is up', async () => {
    const { slot, old, successor, replaced, settle } = await replacing();

    successor.ready();
    successor.exit(1);
    await settle();

    expect(replaced.value).toBe('web#1 (pid 2) ended with exit code 1 before it took over');
    expect([slot.state, old.stops]).toEqual(['running', []]);
  });

  it('kills the successor and waits for its exit when it is not up in time', async () => {
    const { slot, slots, old, successor, clock, replaced, settle } = await replacing();

    await clock.advanceAsync(BOOT_TIMEOUT_MS);
    expect([successor.kills, replaced.status, slots.alive.size]).toEqual([1, 'pending', 2]);
    successor.exit('SIGKILL', 'waiting for the database');
    await settle();

    expect(replaced.value).toBe('web#1 (pid 2) was not up within 5 s:\nwaiting for the database');
    expect([slot.state, old.stops, slots.alive.size]).toEqual(['running', [], 1]);
  });

  it('measures the run of the predecessor from its own start, even after a successor has failed', async () => {
    const restart = restartBackoff({ minMs: 100, jitter: 0, maxRestarts: 1, resetAfterMs: 10_000 });
    const { slot, children, clock, happened, boot, settle } = testSlots([{ restart }]);
    await boot();
    children.last.exit(1);
    await clock.advanceAsync(100);
    const old = children.last;
    old.ready();
    await clock.advanceAsync(10_000);
    const replaced = outcomeOf(slot.replace());
    children.last.exit(1);
    await settle();
    expect(replaced.value).toMatch('ended with exit code 1');

    old.exit(1);
    await settle();

    expect([slot.state, slot.restarts.inARow, happened]).toEqual(['restarting', 1, ['up']]);
  });
});

describe('ChildSlot.replace() when the predecessor exits during it', () => {
  it('lets the successor take over immediately, and logs how the predecessor ended', async () => {
    const { slot, old, successor, children, clock, replaced, settle, logger } = await replacing();

    old.exit(1, 'crashed');
    await settle();
    expect([slot.state, slot.lastFailure, replaced.status]).toEqual(['starting', 'exit code 1:\ncrashed', 'pending']);
    successor.ready();
    await clock.advanceAsync(60_000);

    expect(replaced).toEqual({ status: 'resolved', value: undefined });
    expect([slot.state, children.all.length]).toEqual(['running', 2]);
    expect(logger.lines).toEqual([
      'warn: web#1 (pid 1) ended with exit code 1 after 0 ms: its successor takes over',
      'log: web#1 (pid 2) is up after 0 ms',
    ]);
  });

  it('fails when the successor does not come up either, but keeps the slot filled', async () => {
    const { slot, old, successor, children, clock, replaced, settle } = await replacing();
    old.exit(1);
    await settle();

    successor.exit(1);
    await settle();
    expect(replaced.value).toBe('web#1 (pid 2) did not come up');
    await clock.advanceAsync(100);

    expect([slot.state, children.all.length]).toEqual(['starting', 3]);
  });

  it('keeps a late successor when it is the only child', async () => {
    const { slot, old, successor, clock, replaced, settle } = await replacing();
    old.exit(1);

    await clock.advanceAsync(BOOT_TIMEOUT_MS);
    expect(replaced.value).toBe('web#1 (pid 2) did not come up');
    successor.ready();
    await settle();

    expect([slot.state, successor.kills]).toEqual(['running', 0]);
  });

  it.each([
    ['the predecessor first', (old: FakeChild, successor: FakeChild) => [old, successor]],
    ['the successor first', (old: FakeChild, successor: FakeChild) => [successor, old]],
  ])('keeps the slot filled when both exit in the same moment, %s', async (_which, order) => {
    const { slot, slots, old, successor, children, clock, replaced } = await replacing();

    for (const child of order(old, successor)) child.exit(1);
    await clock.advanceAsync(100);

    expect(replaced.value).toMatch('web#1 (pid 2)');
    expect([slot.state, children.all.length, slots.alive.size]).toEqual(['starting', 3, 1]);
  });

  it('continues with a successor when the predecessor has finished its work', async () => {
    const { slot, old, successor, replaced, settle } = await replacing([{ restart: neverRestart() }]);

    old.exit(0);
    successor.ready();
    await settle();

    expect([slot.state, replaced.status, slot.lastFailure]).toEqual(['running', 'resolved', undefined]);
  });
});
