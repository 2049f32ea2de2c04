import { restartBackoff, neverRestart } from '../restart-policy.js';
import { BOOT_TIMEOUT_MS, MAX_WAIT_MS, RESTART, testSlots } from './child-slots.fixture.js';

describe('ChildSlot', () => {
  it('starts one child, and is running when the child is up', async () => {
    const { slots, slot, children, clock, logger, settle } = testSlots();
    expect(slot.state).toBe('starting');

    slots.start();
    expect([slot.state, children.all.map(({ name }) => name)]).toEqual(['starting', ['web#1']]);
    await clock.advanceAsync(250);
    children.last.ready();
    await settle();

    expect(slot.state).toBe('running');
    expect(logger.lines).toEqual(['log: web#1 (pid 1) is up after 250 ms']);
  });

  it.each([
    ['http', 'An HTTP worker is up when it listens.'],
    ['process', 'A process is up when its WorkersModule has booted, or it calls reportReady().'],
    ['thread', 'A thread is up when its WorkersModule has booted, or it calls reportReady().'],
  ] as const)('warns when a child of kind %s is not up in time, and keeps it', async (kind, hint) => {
    const { slots, slot, children, clock, logger } = testSlots([{ kind }]);
    slots.start();

    await clock.advanceAsync(BOOT_TIMEOUT_MS);

    expect(logger.lines).toEqual([`warn: web#1 (pid 1) is not up after 5 s. ${hint}`]);
    expect([slot.state, children.last.kills, children.last.stops]).toEqual(['starting', 0, []]);
  });

  it('is up when its child is, even after the child was reported as late', async () => {
    const { slots, slot, children, clock, happened, logger, settle } = testSlots();
    slots.start();
    await clock.advanceAsync(BOOT_TIMEOUT_MS + 1_000);

    children.last.ready();
    await settle();

    expect([slot.state, happened]).toEqual(['running', ['up']]);
    expect(logger.lines.at(-1)).toBe('log: web#1 (pid 1) is up after 6 s');
  });
});

describe('ChildSlot whose child exits unexpectedly', () => {
  it('starts another child after a growing delay', async () => {
    const { slot, children, clock, logger, boot, settle } = testSlots();
    await boot();

    for (const [i, delayMs] of [100, 200, 400].entries()) {
      children.last.exit(1);
      await settle();
      expect(slot.state).toBe('restarting');
      await clock.advanceAsync(delayMs - 1);
      expect(children.all).toHaveLength(i + 1);
      await clock.advanceAsync(1);
      expect([slot.state, children.all.length]).toEqual(['starting', i + 2]);
    }

    expect(logger.lines).toEqual([
      'warn: web#1 (pid 1) ended with exit code 1 after 0 ms: restarting it in 100 ms (restart 1 in a row)',
      'warn: web#1 (pid 2) ended with exit code 1 after 0 ms: restarting it in 200 ms (restart 2 in a row)',
      'warn: web#1 (pid 3) ended with exit code 1 after 0 ms: restarting it in 400 ms (restart 3 in a row)',
    ]);
  });

  it('fails after maxRestarts in a row, with the last output of the child', async () => {
    const { slot, children, clock, happened, boot, settle } = testSlots();
    await boot();

    for (const _ of [1, 2, 3]) {
      children.last.exit(1);
      await clock.advanceAsync(400);
    }
    children.last.exit('SIGABRT', 'out of memory');
    await settle();

    expect([slot.state, children.alive, clock.pendingTimers]).toEqual(['failed', [], 0]);
    expect(happened).toEqual([
      'up',
      'failed: web#1 failed 4 times in a row, most recently with SIGABRT:\nout of memory',
    ]);
  });

  it('resets the count when a child has run for resetAfterMs', async () => {
    const { slot, children, clock, happened, boot, settle } = testSlots();
    await boot();

    for (const _ of [1, 2, 3, 4, 5]) {
      await clock.advanceAsync(60_000);
      children.last.exit(1);
      await clock.advanceAsync(100);
      children.last.ready();
      await settle();
    }

    expect([slot.state, slot.restarts.total, slot.restarts.inARow, happened]).toEqual(['running', 5, 1, ['up']]);
  });

  it('restarts a child after a clean exit when the policy says always', async () => {
    const { slot, children, clock, boot } = testSlots();
    await boot();

    children.last.exit(0);
    await clock.advanceAsync(100);

    expect([slot.state, children.all.length, slot.lastFailure]).toEqual(['starting', 2, undefined]);
  });

  it('fails when a child with policy always has used up its restarts, even by clean exits', async () => {
    const { slot, children, happened, boot, settle } = testSlots([{ restart: { ...RESTART, maxRestarts: 0 } }]);
    await boot();

    children.last.exit(0);
    await settle();

    expect(slot.state).toBe('failed');
    expect(happened).toEqual(['up', 'failed: web#1 failed once, most recently with exit code 0']);
  });

  it('finishes when its child exits cleanly and the policy says failure', async () => {
    const { slot, children, clock, logger, boot } = testSlots([{ restart: restartBackoff() }]);
    await boot();
    await clock.advanceAsync(1_500);

    children.last.exit(0);
    await clock.advanceAsync(60_000);

    expect([slot.state, children.all.length]).toEqual(['stopped', 1]);
    expect(logger.lines).toEqual(['log: web#1 (pid 1) ended with exit code 0 after 1.5 s: its work is done']);
  });

  it('fails at the first failure with neverRestart()', async () => {
    const { slot, children, happened, boot, settle } = testSlots([{ restart: neverRestart() }]);
    await boot();

    children.last.exit(3);
    await settle();

    expect([slot.state, happened[1]]).toEqual(['failed', 'failed: web#1 failed once, most recently with exit code 3']);
  });

  it('also restarts a child that exits before it is up', async () => {
    const { slots, slot, children, clock, happened } = testSlots();
    slots.start();

    children.last.exit(1, 'no database');
    await clock.advanceAsync(100);

    expect([slot.state, children.all.length, happened]).toEqual(['starting', 2, []]);
    expect(slot.lastFailure).toBe('exit code 1:\nno database');
  });

  it('treats a child that cannot be started like one that failed', async () => {
    const { slots, slot, children, clock, happened, logger } = testSlots();
    children.refusal = new Error('no memory');
    slots.start();
    await clock.advanceAsync(0);
    expect(logger.lines).toEqual([
      'warn: web#1 (not started) ended with an error after 0 ms: restarting it in 100 ms (restart 1 in a row)',
    ]);

    children.refusal = undefined;
    await clock.advanceAsync(100);
    children.last.ready();
    await clock.advanceAsync(0);

    expect([slot.state, slots.alive.size, slot.lastFailure, happened]).toEqual([
      'running',
      1,
      'an error:\nno memory',
      ['up'],
    ]);
  });
});

describe('ChildSlot.stop', () => {
  it('stops a running or starting child, and starts no other', async () => {
    const { slots, slot, children, clock } = testSlots();
    slots.start();

    slot.stop();
    expect([slot.state, children.last.stops]).toEqual(['stopping', ['stop']]);
    children.last.exit(1);
    await clock.advanceAsync(60_000);

    expect([slot.state, children.all.length, clock.pendingTimers]).toEqual(['stopped', 1, 0]);
  });

  it('cancels a restart', async () => {
    const { slot, children, clock, boot, settle } = testSlots();
    await boot();
    children.last.exit(1);
    await settle();

    slot.stop();
    await clock.advanceAsync(60_000);

    expect([slot.state, children.all.length]).toEqual(['stopped', 1]);
  });

  it('does nothing on a second call', async () => {
    const { slot, children, boot } = testSlots();
    await boot();

    slot.stop();
    slot.stop();

    expect(children.last.stops).toEqual(['stop']);
  });

  it('does not change a failed slot', async () => {
    const { slot, children, boot, settle } = testSlots([{ restart: neverRestart() }]);
    await boot();
    children.last.exit(1);
    await settle();

    slot.stop();

    expect(slot.state).toBe('failed');
  });

  it('kills a child one second after its maxWaitMs', async () => {
    const { slot, children, clock, boot } = testSlots();
    await boot();
    slot.stop();

    await clock.advanceAsync(MAX_WAIT_MS + 999);
    expect(children.last.kills).toBe(0);
    await clock.advanceAsync(1);
    expect(children.last.kills).toBe(1);
  });
});
