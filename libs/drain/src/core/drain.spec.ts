import { createServer as createTcpServer } from 'node:net';
import { createServer } from 'node:http';
import { deferred } from '@roost/kernel';
import { RecordingLogger } from '@roost/kernel/testing';
import { ManualClock } from '@roost/time/testing';
import { Drain } from './drain.js';
import { InvalidServerError } from './errors/invalid-server.error.js';
import { StuckWorkError } from './errors/stuck-work.error.js';
import { FakeTarget } from './fake-target.fixture.js';
import type { AnyHttpServer } from './http/server.js';
import type { DrainOptions } from './options.js';
import { isSettled } from './until.fixture.js';

const setup = (options: DrainOptions = {}) => {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const drain = new Drain({ clock, logger, ...options });
  const target = new FakeTarget();
  drain.addTarget(target);
  return { clock, logger, drain, target };
};

describe('Drain steps', () => {
  it('calls each step of its targets once, however often it is called itself', async () => {
    const { drain, target } = setup();
    const seen: boolean[] = [drain.isDraining];
    drain.announce();
    drain.announce();
    seen.push(drain.isDraining);
    drain.shed();
    drain.shed();
    drain.announce();
    await drain.finish(1_000);
    await drain.close();
    drain.announce();
    drain.shed();

    expect(target.calls).toEqual(['announce', 'shed', 'settle', 'close']);
    expect([...seen, drain.isDraining]).toEqual([false, true, true]);
  });

  it.each([
    ['shed', (drain: Drain) => Promise.resolve(drain.shed()), ['announce', 'shed']],
    ['close', (drain: Drain) => drain.close(), ['announce', 'shed', 'close']],
  ])('runs the skipped steps before %s', async (_, step, calls) => {
    const { drain, target } = setup();
    await step(drain);

    expect(target.calls).toEqual(calls);
    expect(drain.signal.aborted).toBe(true);
  });

  it('waits for in-flight work when finish() is called without shed()', async () => {
    const { drain } = setup();
    drain.meter.began();
    const finished = drain.finish(1_000);
    expect(await isSettled(finished)).toBe(false);
    drain.meter.ended();

    await finished;
    expect(drain.isDraining).toBe(false);
  });

  it('accepts a second close()', async () => {
    const { drain } = setup();

    await Promise.all([drain.close(), drain.close()]);
    await drain.close();
    expect(drain.isDraining).toBe(true);
  });

  it.each([
    ['announced', ['announce']],
    ['shed', ['announce', 'shed']],
    ['closed', ['announce', 'shed', 'close']],
  ])('brings a target that is added in state %s up to date', async (state, calls) => {
    const { drain } = setup();
    drain.announce();
    if (state !== 'announced') drain.shed();
    if (state === 'closed') await drain.close();
    const late = new FakeTarget();
    drain.addTarget(late);

    expect(late.calls).toEqual(calls);
  });
});

describe('Drain.finish', () => {
  it('resolves when the work is done and the targets have shed and settled, in this order', async () => {
    const { drain, target } = setup();
    const [shed, settled] = [deferred(), deferred()];
    target.onShed = () => shed.promise;
    target.onSettle = () => settled.promise;
    drain.meter.began();
    drain.shed();
    const finished = drain.finish(1_000);

    drain.meter.ended();
    expect(await isSettled(finished)).toBe(false);
    expect(target.calls).not.toContain('settle');
    shed.resolve();
    expect(await isSettled(finished)).toBe(false);
    settled.resolve();
    await finished;
  });

  it('waits again for work that arrived while the targets settled', async () => {
    const { drain, target } = setup();
    target.onSettle = () => {
      if (drain.meter.admitted === 0) drain.meter.began();
      return Promise.resolve();
    };
    drain.shed();
    const finished = drain.finish(1_000);
    expect(await isSettled(finished)).toBe(false);
    drain.meter.ended();

    await finished;
    expect(target.calls.filter((call) => call === 'settle')).toHaveLength(2);
  });

  it('leaves no timer running', async () => {
    const { drain, clock } = setup();
    drain.shed();
    await drain.finish(1_000);

    expect(clock.pendingTimers).toBe(0);
  });

  it('cuts off unfinished work at the limit, names it and counts it', async () => {
    const { drain, target, clock } = setup();
    const work = { name: 'GET /stuck', ageMs: 1_500 };
    drain.meter.began();
    target.work = [work];
    drain.shed();
    const finished = drain.finish(1_000);
    void finished.catch(() => undefined);
    await clock.advanceAsync(999);
    expect(target.calls).not.toContain('force');
    await clock.advanceAsync(1);

    await expect(finished).rejects.toThrow(StuckWorkError);
    await expect(finished).rejects.toMatchObject({ code: 'DRAIN_STUCK', waitedMs: 1_000, stuck: [work] });
    expect(target.calls.at(-1)).toBe('force');
    expect(drain.snapshot().forced).toBe(1);
  });

  it.each([0, -100])('cuts off immediately with a limit of %d, and accepts finished work', async (limitMs) => {
    const { drain, target, clock } = setup();
    drain.shed();
    const done = drain.finish(limitMs);
    await clock.advanceAsync(0);
    await done;

    drain.meter.began();
    target.work = [{ name: 'GET /', ageMs: 0 }];
    const stuck = drain.finish(limitMs);
    void stuck.catch(() => undefined);
    await clock.advanceAsync(0);
    await expect(stuck).rejects.toThrow(StuckWorkError);
  });

  it('closes remaining connections without rejecting', async () => {
    const { drain, target, clock } = setup();
    target.onSettle = () => new Promise(() => undefined);
    drain.shed();
    const finished = drain.finish(1_000);
    await clock.advanceAsync(1_000);

    await finished;
    expect(target.calls).toContain('force');
    expect(drain.snapshot().forced).toBe(0);
  });

  it('continues when a target fails to shed', async () => {
    const { drain, target, logger } = setup();
    const other = new FakeTarget();
    drain.addTarget(other);
    target.onShed = () => Promise.reject(new Error('broker is gone'));
    drain.shed();
    await drain.finish(1_000);

    expect(other.calls).toEqual(['announce', 'shed', 'settle']);
    expect(logger.lines).toEqual(['error: could not stop accepting new work everywhere: broker is gone']);
  });

  it('continues when a target fails to settle', async () => {
    const { drain, target, logger } = setup();
    target.onSettle = () => Promise.reject(new Error('broker is gone'));
    drain.shed();
    await drain.finish(1_000);

    expect(logger.lines).toEqual(['error: could not wait for all in-flight work: broker is gone']);
  });
});

describe('Drain.attach', () => {
  it.each([undefined, null, {}, 'http://localhost', 3000, () => undefined])('refuses %p', (value) => {
    const { drain } = setup();

    expect(() => drain.attach(value as AnyHttpServer)).toThrow(InvalidServerError);
    expect(() => drain.attach(value as AnyHttpServer)).toThrow(
      expect.objectContaining({ code: 'DRAIN_INVALID_SERVER' }),
    );
  });

  it('counts each request once when a server is attached twice', () => {
    const { drain } = setup();
    const server = createServer();
    drain.attach(server);
    const listeners = server.listenerCount('request');
    drain.attach(server);

    expect(server.listenerCount('request')).toBe(listeners);
  });

  it('accepts a server that speaks TCP without HTTP', () => {
    const { drain } = setup();

    expect(() => drain.attach(createTcpServer() as AnyHttpServer)).not.toThrow();
  });
});

describe('Drain.snapshot and describe', () => {
  it('agree with each other, oldest first', () => {
    const { drain, target } = setup();
    const other = new FakeTarget();
    drain.addTarget(other);
    expect(drain.describe()).toBe('0 in flight');
    target.work = [{ name: 'GET /new', ageMs: 20 }];
    other.work = [
      { name: 'GET /report', ageMs: 1_240 },
      { name: 'message orders', ageMs: 5 },
    ];
    for (let i = 0; i < 3; i++) drain.meter.began();

    expect(drain.describe()).toBe('3 in flight, oldest GET /report (1.24 s)');
    expect(drain.inFlight().map(({ ageMs }) => ageMs)).toEqual([1_240, 20, 5]);
    drain.announce();
    drain.meter.shed = 14;
    expect(drain.describe()).toBe('3 in flight, oldest GET /report (1.24 s); 14 refused');
    expect(drain.snapshot()).toEqual({
      draining: true,
      inFlight: 3,
      oldest: { name: 'GET /report', ageMs: 1_240 },
      admitted: 3,
      shed: 14,
      forced: 0,
    });
  });
});

describe('Drain.inFlight$', () => {
  it('emits the current number, then every change, to all subscribers', () => {
    const { drain } = setup();
    const [first, second]: number[][] = [[], []];
    const subscription = drain.inFlight$.subscribe((count) => first!.push(count));
    drain.meter.began();
    drain.meter.began();
    drain.inFlight$.subscribe((count) => second!.push(count));
    subscription.unsubscribe();
    drain.meter.ended();
    drain.meter.ended();

    expect(first).toEqual([0, 1, 2]);
    expect(second).toEqual([2, 1, 0]);
  });

  it('does not repeat a number', () => {
    const { drain } = setup();
    const seen: number[] = [];
    drain.meter.changes$.subscribe(() => undefined);
    drain.inFlight$.subscribe((count) => seen.push(count));
    drain.meter.began();
    drain.meter.inFlight = 0;
    drain.meter.began();

    expect(seen).toEqual([0, 1]);
  });

  it('starts with the number at subscription time', () => {
    const { drain } = setup();
    const { inFlight$ } = drain;
    drain.meter.began();
    let seen = NaN;
    inFlight$.subscribe((count) => (seen = count)).unsubscribe();

    expect(seen).toBe(1);
  });
});
