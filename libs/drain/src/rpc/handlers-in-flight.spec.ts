import { deferred } from '@roost/kernel';
import { ManualClock } from '@roost/time/testing';
import { Meter } from '../core/index.js';
import { isSettled } from '../core/until.fixture.js';
import { FakeServer } from './fake-server.fixture.js';
import { HandlersInFlight } from './handlers-in-flight.js';
import type { CountableServer } from './transports/rpc-server.js';

const setup = (server = new FakeServer()) => {
  const clock = new ManualClock();
  const meter = new Meter();
  return { server, clock, meter, handlers: new HandlersInFlight(server, clock, meter) };
};

describe('HandlersInFlight', () => {
  it('counts a handler from its start to its end', () => {
    const { server, meter, handlers, clock } = setup();
    const run = server.begin({ getPattern: () => 'orders.create' });
    clock.advance(250);
    expect(meter).toMatchObject({ inFlight: 1, admitted: 1 });
    expect(handlers.list()).toEqual([{ name: 'message orders.create', ageMs: 250 }]);
    run.end();
    expect(meter).toMatchObject({ inFlight: 0, admitted: 1 });
    expect(handlers.list()).toEqual([]);
  });

  it.each([
    ['getPattern', 'a.pattern'],
    ['getSubject', 'a.subject'],
    ['getTopic', 'a.topic'],
    ['getChannel', 'a.channel'],
  ])('names the message by %s of its context', (method, name) => {
    const { server, handlers } = setup();
    server.begin({ [method]: () => name });
    expect(handlers.list()).toMatchObject([{ name: `message ${name}` }]);
  });

  it.each([
    ['is not text', { getPattern: () => ({ cmd: 'sum' }) }],
    ['is not there', {}],
    ['has no context', undefined],
    ['has a context that is null', null],
  ])('says so when the pattern %s', (_what, context) => {
    const { server, handlers } = setup();
    server.begin(context);
    expect(handlers.list()).toMatchObject([{ name: 'message with unknown pattern' }]);
  });

  it('keeps handlers apart that share a context or have none', () => {
    const { server, meter, handlers } = setup();
    const runs = [server.begin(undefined), server.begin(undefined)];
    expect(handlers.list()).toHaveLength(2);
    runs[0]!.end();
    expect(meter.inFlight).toBe(1);
    runs[1]!.end();
    expect(meter.inFlight).toBe(0);
  });

  it('ignores an end without a start', () => {
    const { server, meter } = setup();
    server.onProcessingEndHook?.(server.transportId, {});
    expect(meter.inFlight).toBe(0);
  });

  it('ends a handler that fails without its end hook, and passes the error on', async () => {
    const { server, meter } = setup();
    const run = server.begin();
    run.fail(new Error('no luck'));
    await expect(run.started).rejects.toThrow('no luck');
    expect(meter.inFlight).toBe(0);
  });

  it('ends a handler once that fails after its end hook', async () => {
    const { server, meter } = setup();
    const other = server.begin();
    const run = server.begin();
    run.end();
    run.fail(new Error('no luck'));
    await run.started;
    expect(meter.inFlight).toBe(1);
    other.end();
    expect(meter.inFlight).toBe(0);
  });

  it('does not count handlers that start while paused, but keeps counting the others', () => {
    const { server, meter, handlers } = setup();
    const counted = server.begin();
    handlers.paused = true;
    const late = server.begin();
    expect(meter).toMatchObject({ inFlight: 1, admitted: 1 });
    expect(handlers.list()).toHaveLength(1);
    late.end();
    expect(meter.inFlight).toBe(1);
    counted.end();
    expect(meter.inFlight).toBe(0);
  });

  it('can wait for late handlers', async () => {
    const { server, handlers } = setup();
    await handlers.whenLateOver();
    handlers.paused = true;
    const runs = [server.begin(), server.begin()];
    const over = handlers.whenLateOver();
    runs[0]!.end();
    expect(await isSettled(over)).toBe(false);
    runs[1]!.end();
    await over;
  });
});

describe('HandlersInFlight with hooks of other code', () => {
  it.each(['before', 'after'])('calls hooks set %s it', async (order) => {
    const server = new FakeServer();
    const calls: string[] = [];
    const setHooks = (): void => {
      server.setOnProcessingStartHook(async (transport, _context, done) => {
        calls.push(`start ${String(transport)}`);
        return done();
      });
      server.setOnProcessingEndHook((transport) => void calls.push(`end ${String(transport)}`));
    };
    if (order === 'before') setHooks();
    const { meter } = setup(server);
    if (order === 'after') setHooks();
    const run = server.begin();
    expect(meter.inFlight).toBe(1);
    run.end();
    await run.started;
    expect(calls).toEqual(['start fake', 'end fake']);
    expect(meter.inFlight).toBe(0);
  });

  it('calls only the last hook set after it', () => {
    const { server } = setup();
    const calls: string[] = [];
    for (const name of ['first', 'second']) server.setOnProcessingEndHook(() => void calls.push(name));
    server.begin().end();
    expect(calls).toEqual(['second']);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('not today');
      },
    ],
    ['rejects', () => Promise.reject(new Error('not today'))],
  ])('does not count a handler whose start hook %s', async (_what, hook) => {
    const { server, meter } = setup();
    server.setOnProcessingStartHook(hook);
    await expect(server.begin().started).rejects.toThrow('not today');
    expect(meter.inFlight).toBe(0);
  });

  it('does not count a handler that the start hook prevents from running', async () => {
    const { server, meter } = setup();
    server.setOnProcessingStartHook(() => Promise.resolve());
    await server.begin().started;
    expect(meter).toMatchObject({ inFlight: 0, admitted: 1 });
  });

  it('keeps counting a stream after the start hook has returned', async () => {
    const { server, meter } = setup();
    const context = {};
    // A handler that has returned its observable.
    await server.onProcessingStartHook(server.transportId, context, () => Promise.resolve());
    expect(meter.inFlight).toBe(1);
    server.onProcessingEndHook?.(server.transportId, context);
    expect(meter.inFlight).toBe(0);
  });

  it('works without hooks', () => {
    const server = new FakeServer();
    const bare = Object.assign(server, { onProcessingStartHook: undefined }) as CountableServer;
    const meter = new Meter();
    new HandlersInFlight(bare, new ManualClock(), meter);
    server.begin().end();
    expect(meter).toMatchObject({ inFlight: 0, admitted: 1 });
  });
});

describe('HandlersInFlight with replies', () => {
  it('waits for the last packet of every reply', async () => {
    const { server, handlers } = setup();
    await handlers.whenReplied();
    for (let n = 0; n < 2; n++) server.send('stream', () => Promise.resolve());
    const replied = handlers.whenReplied();
    await server.responders[0]!({});
    await server.responders[0]!({ isDisposed: true });
    expect(await isSettled(replied)).toBe(false);
    await server.responders[1]!({ isDisposed: true });
    await replied;
    expect(handlers.sent).toBe(3);
  });

  it('notifies all waiters', async () => {
    const { server, handlers } = setup();
    server.send('stream', () => Promise.resolve());
    const waiting = [handlers.whenReplied(), handlers.whenReplied()];
    await server.responders[0]!({ isDisposed: true });
    await Promise.all(waiting);
  });

  it('waits until the transport has sent the reply, even if sending fails', async () => {
    const { server, handlers } = setup();
    const sent = deferred();
    server.send('stream', () => sent.promise);
    const replied = handlers.whenReplied();
    const responded = server.responders[0]!({ isDisposed: true });
    expect(await isSettled(replied)).toBe(false);
    sent.reject(new Error('the broker is gone'));
    await expect(responded).rejects.toThrow('the broker is gone');
    await replied;
  });

  it('recognizes the last packet even when a serializer modifies it', async () => {
    const { server, handlers } = setup();
    server.send('stream', (packet) => {
      delete packet.isDisposed;
      return Promise.resolve();
    });
    await server.responders[0]!({ isDisposed: true });
    await handlers.whenReplied();
  });

  it('fails at boot when the transport has no send()', () => {
    const server = Object.assign(new FakeServer(), { send: undefined }) as unknown as FakeServer;
    expect(() => setup(server)).toThrow('DrainModule needs FakeServer.send(), which does not exist.');
  });
});
