import { ManualClock } from '@roost/time/testing';
import { BOOT_TIMEOUT_MS, FakeChild, MAX_WAIT_MS } from './child-slots.fixture.js';
import { SupervisedChild } from './supervised-child.js';

const KILL_AFTER_MS = MAX_WAIT_MS + 1_000;

const startChild = () => {
  const clock = new ManualClock();
  const options = { clock, maxWaitMs: MAX_WAIT_MS, bootTimeoutMs: BOOT_TIMEOUT_MS };
  let fake!: FakeChild;
  const child = new SupervisedChild('web#1', options, (listeners) => (fake = new FakeChild(7, 'web#1', listeners)));
  return { clock, child, fake };
};

/** Returns the current state of a promise. */
const valueOf = async <T>(promise: Promise<T>): Promise<T | 'pending'> =>
  Promise.race([promise, new Promise<'pending'>((resolve) => setImmediate(() => resolve('pending')))]);

describe('SupervisedChild startup', () => {
  it('is named after its slot and its handle', () => {
    const { child } = startChild();

    expect([child.title, child.state]).toEqual(['web#1 (pid 7)', 'starting']);
  });

  it('is running as soon as it is ready, and leaves no timer running', async () => {
    const { clock, child, fake } = startChild();
    clock.advance(100);

    fake.ready();

    expect([child.state, child.ageMs, clock.pendingTimers]).toEqual(['running', 100, 0]);
    expect(await valueOf(child.whenUp)).toBe(true);
    expect(await valueOf(child.whenUpInTime)).toBe(true);
    expect(await valueOf(child.whenEnded)).toBe('pending');
  });

  it('is not up in time after bootTimeoutMs, but may still come up', async () => {
    const { clock, child, fake } = startChild();

    clock.advance(BOOT_TIMEOUT_MS - 1);
    expect(await valueOf(child.whenUpInTime)).toBe('pending');
    clock.advance(1);
    expect(await valueOf(child.whenUpInTime)).toBe(false);
    expect([child.state, await valueOf(child.whenUp)]).toEqual(['starting', 'pending']);
    fake.ready();
    expect([child.state, await valueOf(child.whenUp)]).toEqual(['running', true]);
  });

  it('is not up when it exits first, and leaves no timer running', async () => {
    const { clock, child, fake } = startChild();

    fake.exit(1);

    expect([child.state, clock.pendingTimers]).toEqual(['stopped', 0]);
    expect(await valueOf(child.whenUp)).toBe(false);
    expect(await valueOf(child.whenUpInTime)).toBe(false);
    expect(await valueOf(child.whenEnded)).toEqual({ code: 1, signal: null });
  });

  it('is up once, however often the child reports it', async () => {
    const { child, fake } = startChild();
    fake.ready();
    fake.exit(0);

    fake.ready();

    expect(child.state).toBe('stopped');
    expect(await valueOf(child.whenUp)).toBe(true);
  });

  it('never becomes up after a stop request', async () => {
    const { child, fake } = startChild();
    child.stop('stop');

    fake.ready();

    expect([child.state, await valueOf(child.whenUp)]).toEqual(['stopping', 'pending']);
    fake.exit();
    expect(await valueOf(child.whenUp)).toBe(false);
  });

  it('ends immediately when it cannot be started', async () => {
    const clock = new ManualClock();
    const options = { clock, maxWaitMs: MAX_WAIT_MS, bootTimeoutMs: BOOT_TIMEOUT_MS };

    const child = new SupervisedChild('web#1', options, () => {
      throw new Error('no memory');
    });
    child.stop('stop');
    child.kill();

    expect([child.title, child.state, clock.pendingTimers]).toEqual(['web#1 (not started)', 'stopped', 0]);
    expect(await child.whenEnded).toEqual({ code: null, signal: null, lastOutput: 'no memory' });
    expect(await child.handle.report(250)).toBeUndefined();
  });
});

describe('SupervisedChild.stop', () => {
  it.each(['stop', 'replaced'] as const)('requests the stop once: %s', (why) => {
    const { child, fake } = startChild();
    fake.ready();

    child.stop(why);
    child.stop('stop');

    expect([child.state, fake.stops, fake.kills]).toEqual(['stopping', [why], 0]);
  });

  it('also stops a child that is still starting', () => {
    const { child, fake } = startChild();

    child.stop('stop');

    expect(fake.stops).toEqual(['stop']);
  });

  it('kills a child that has not exited one second after maxWaitMs, once', () => {
    const { clock, child, fake } = startChild();
    fake.ready();
    child.stop('stop');

    clock.advance(KILL_AFTER_MS - 1);
    expect(fake.kills).toBe(0);
    clock.advance(1);
    expect(fake.kills).toBe(1);
    child.kill();
    clock.advance(KILL_AFTER_MS);
    expect(fake.kills).toBe(1);
  });

  it('does not kill a child that has exited, and leaves no timer running', () => {
    const { clock, child, fake } = startChild();
    fake.ready();
    child.stop('stop');

    fake.exit(0);
    child.kill();

    expect([fake.kills, clock.pendingTimers]).toEqual([0, 0]);
  });

  it('sends nothing to a child that has exited', () => {
    const { clock, child, fake } = startChild();
    fake.exit(0);

    child.stop('stop');

    expect([fake.stops, child.state, clock.pendingTimers]).toEqual([[], 'stopped', 0]);
  });

  it('does not kill a child that was killed from outside', () => {
    const { clock, child, fake } = startChild();
    fake.ready();
    child.stop('stop');

    child.kill();

    expect([fake.kills, clock.pendingTimers]).toEqual([1, 0]);
  });
});

describe('SupervisedChild.problemWith', () => {
  it.each([
    { how: { code: 0, signal: null }, problem: undefined },
    { how: { code: 1, signal: null }, problem: 'web#1 (pid 7) ended with exit code 1' },
    { how: { code: null, signal: 'SIGSEGV' }, problem: 'web#1 (pid 7) ended with SIGSEGV' },
  ])('describes a child that was up and ended with $how.code $how.signal', ({ how, problem }) => {
    const { child, fake } = startChild();
    fake.ready();
    child.stop('stop');
    fake.exit(how.signal ?? how.code);

    expect(child.problemWith(how)).toBe(problem);
  });

  it('reports none for a child that a signal ended before it was up, because it had no work in flight', () => {
    const { child, fake } = startChild();
    child.stop('stop');
    fake.exit('SIGTERM');

    expect(child.problemWith({ code: null, signal: 'SIGTERM' })).toBeUndefined();
  });

  it('reports one for a child that failed before it was up', () => {
    const { child, fake } = startChild();
    child.stop('stop');
    fake.exit(1);

    expect(child.problemWith({ code: 1, signal: null })).toBe('web#1 (pid 7) ended with exit code 1');
  });

  it('reports one for a child that was stopped before it was up, came up and then failed', () => {
    const { child, fake } = startChild();
    child.stop('stop');
    fake.ready();
    fake.exit(1);

    expect(child.problemWith({ code: 1, signal: null })).toBe('web#1 (pid 7) ended with exit code 1');
  });

  it.each([true, false])('says after how many ms the child had to be killed, up or not (%p)', (isUp) => {
    const { clock, child, fake } = startChild();
    if (isUp) fake.ready();
    child.stop('stop');
    clock.advance(KILL_AFTER_MS);
    fake.exit('SIGKILL');

    expect(child.problemWith({ code: null, signal: 'SIGKILL' })).toBe(
      'web#1 (pid 7) had to be killed 3000 ms after the stop request',
    );
  });

  it('reports none for a child that was killed before it was up without a stop request', () => {
    const { child, fake } = startChild();
    child.kill();
    fake.exit('SIGKILL');

    expect(fake.kills).toBe(1);
    expect(child.problemWith({ code: null, signal: 'SIGKILL' })).toBeUndefined();
  });
});
