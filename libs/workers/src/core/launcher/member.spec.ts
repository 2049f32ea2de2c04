import { ManualClock } from '@roost/time/testing';
import { BOOT_TIMEOUT_MS, FakeChild, MAX_WAIT_MS } from './slots.fixture.js';
import { Member } from './member.js';

const KILL_AFTER_MS = MAX_WAIT_MS + 1_000;

const startMember = () => {
  const clock = new ManualClock();
  const options = { clock, maxWaitMs: MAX_WAIT_MS, bootTimeoutMs: BOOT_TIMEOUT_MS };
  let child!: FakeChild;
  const member = new Member('web#1', options, (listeners) => (child = new FakeChild(7, 'web#1', listeners)));
  return { clock, member, child };
};

/** What a promise has come to by now. */
const valueOf = async <T>(promise: Promise<T>): Promise<T | 'pending'> =>
  Promise.race([promise, new Promise<'pending'>((resolve) => setImmediate(() => resolve('pending')))]);

describe('Member while it starts', () => {
  it('is named after its slot and its child', () => {
    const { member } = startMember();

    expect([member.title, member.state]).toEqual(['web#1 (pid 7)', 'starting']);
  });

  it('is running from the moment it is ready, and leaves no timer', async () => {
    const { clock, member, child } = startMember();
    clock.advance(100);

    child.ready();

    expect([member.state, member.ageMs, clock.pendingTimers]).toEqual(['running', 100, 0]);
    expect(await valueOf(member.whenUp)).toBe(true);
    expect(await valueOf(member.whenUpInTime)).toBe(true);
    expect(await valueOf(member.whenEnded)).toBe('pending');
  });

  it('is not up in time after bootTimeoutMs, but may still come up', async () => {
    const { clock, member, child } = startMember();

    clock.advance(BOOT_TIMEOUT_MS - 1);
    expect(await valueOf(member.whenUpInTime)).toBe('pending');
    clock.advance(1);
    expect(await valueOf(member.whenUpInTime)).toBe(false);
    expect([member.state, await valueOf(member.whenUp)]).toEqual(['starting', 'pending']);
    child.ready();
    expect([member.state, await valueOf(member.whenUp)]).toEqual(['running', true]);
  });

  it('is not up when it ends first, and leaves no timer', async () => {
    const { clock, member, child } = startMember();

    child.exit(1);

    expect([member.state, clock.pendingTimers]).toEqual(['ended', 0]);
    expect(await valueOf(member.whenUp)).toBe(false);
    expect(await valueOf(member.whenUpInTime)).toBe(false);
    expect(await valueOf(member.whenEnded)).toEqual({ code: 1, signal: null });
  });

  it('is ready once, however often the child says so', async () => {
    const { member, child } = startMember();
    child.ready();
    child.exit(0);

    child.ready();

    expect(member.state).toBe('ended');
    expect(await valueOf(member.whenUp)).toBe(true);
  });

  it('does not come up any more when it was told to stop', async () => {
    const { member, child } = startMember();
    member.stop('stop');

    child.ready();

    expect([member.state, await valueOf(member.whenUp)]).toEqual(['stopping', 'pending']);
    child.exit();
    expect(await valueOf(member.whenUp)).toBe(false);
  });

  it('has ended at once when it cannot be started', async () => {
    const clock = new ManualClock();
    const options = { clock, maxWaitMs: MAX_WAIT_MS, bootTimeoutMs: BOOT_TIMEOUT_MS };

    const member = new Member('web#1', options, () => {
      throw new Error('no memory');
    });
    member.stop('stop');
    member.kill();

    expect([member.title, member.state, clock.pendingTimers]).toEqual(['web#1 (not started)', 'ended', 0]);
    expect(await member.whenEnded).toEqual({ code: null, signal: null, lastWords: 'no memory' });
    expect(await member.child.report(250)).toBeUndefined();
  });
});

describe('Member.stop', () => {
  it.each(['stop', 'replaced'] as const)('tells the child once: %s', (why) => {
    const { member, child } = startMember();
    child.ready();

    member.stop(why);
    member.stop('stop');

    expect([member.state, child.words, child.kills]).toEqual(['stopping', [why], 0]);
  });

  it('tells one that is still starting, too', () => {
    const { member, child } = startMember();

    member.stop('stop');

    expect(child.words).toEqual(['stop']);
  });

  it('kills a child that has not ended one second after maxWaitMs, once', () => {
    const { clock, member, child } = startMember();
    child.ready();
    member.stop('stop');

    clock.advance(KILL_AFTER_MS - 1);
    expect(child.kills).toBe(0);
    clock.advance(1);
    expect(child.kills).toBe(1);
    member.kill();
    clock.advance(KILL_AFTER_MS);
    expect(child.kills).toBe(1);
  });

  it('does not kill one that has ended, and leaves no timer', () => {
    const { clock, member, child } = startMember();
    child.ready();
    member.stop('stop');

    child.exit(0);
    member.kill();

    expect([child.kills, clock.pendingTimers]).toEqual([0, 0]);
  });

  it('tells nothing to one that has ended', () => {
    const { clock, member, child } = startMember();
    child.exit(0);

    member.stop('stop');

    expect([child.words, member.state, clock.pendingTimers]).toEqual([[], 'ended', 0]);
  });

  it('has nothing left to kill when somebody else did', () => {
    const { clock, member, child } = startMember();
    child.ready();
    member.stop('stop');

    member.kill();

    expect([child.kills, clock.pendingTimers]).toEqual([1, 0]);
  });
});

describe('Member.problemWith', () => {
  it.each([
    { how: { code: 0, signal: null }, problem: undefined },
    { how: { code: 1, signal: null }, problem: 'web#1 (pid 7) ended with exit code 1' },
    { how: { code: null, signal: 'SIGSEGV' }, problem: 'web#1 (pid 7) ended with SIGSEGV' },
  ])('of one that was up and ended with $how.code $how.signal', ({ how, problem }) => {
    const { member, child } = startMember();
    child.ready();
    member.stop('stop');
    child.exit(how.signal ?? how.code);

    expect(member.problemWith(how)).toBe(problem);
  });

  it('has none with one that a signal has ended before it was up: it had nothing in hand', () => {
    const { member, child } = startMember();
    member.stop('stop');
    child.exit('SIGTERM');

    expect(member.problemWith({ code: null, signal: 'SIGTERM' })).toBeUndefined();
  });

  it('has one with a child that never said that it is up, and failed', () => {
    const { member, child } = startMember();
    member.stop('stop');
    child.exit(1);

    expect(member.problemWith({ code: 1, signal: null })).toBe('web#1 (pid 7) ended with exit code 1');
  });

  it('has one with a child that was told to stop before it was up, came up all the same and failed', () => {
    const { member, child } = startMember();
    member.stop('stop');
    child.ready();
    child.exit(1);

    expect(member.problemWith({ code: 1, signal: null })).toBe('web#1 (pid 7) ended with exit code 1');
  });

  it.each([true, false])('says after how long it had to be killed, up or not (%p)', (isUp) => {
    const { clock, member, child } = startMember();
    if (isUp) child.ready();
    member.stop('stop');
    clock.advance(KILL_AFTER_MS);
    child.exit('SIGKILL');

    expect(member.problemWith({ code: null, signal: 'SIGKILL' })).toBe(
      'web#1 (pid 7) had to be killed 3000 ms after it was told to stop',
    );
  });

  it('has none with one that was killed before it was up, and had not been told to stop', () => {
    const { member, child } = startMember();
    member.kill();
    child.exit('SIGKILL');

    expect(child.kills).toBe(1);
    expect(member.problemWith({ code: null, signal: 'SIGKILL' })).toBeUndefined();
  });
});
