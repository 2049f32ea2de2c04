import { RecordingLogger } from '@roost/kernel/testing';
import { ManualClock } from '@roost/time/testing';
import { Meter } from '../core/index.js';
import { resolveDrainOptions } from '../core/options.js';
import { isSettled } from '../core/until.fixture.js';
import { FakeServer } from './fake-server.fixture.js';
import { NATS, TCP } from './transports/rpc-server.js';
import { RpcTarget } from './rpc-target.js';

const setup = (server = new FakeServer()) => {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const meter = new Meter();
  return {
    server,
    clock,
    logger,
    meter,
    target: new RpcTarget(server, resolveDrainOptions({ clock, logger }, {}), meter),
  };
};

const nats = (client: { drain(): Promise<unknown>; flush(): Promise<unknown> }) =>
  Object.assign(new FakeServer(NATS), {
    subscriptions: [{ isClosed: () => false, drain: () => client.drain() }],
    unwrap: () => client,
  });

const never = (): Promise<never> => new Promise(() => undefined);
const answered = (): Promise<void> => Promise.resolve();

describe('RpcTarget', () => {
  it('counts handlers until they end, and names them', async () => {
    const { server, meter, target } = setup();
    const run = server.begin({ getPattern: () => 'orders' });
    target.announce();
    await target.shed();
    expect(target.inFlight()).toEqual([{ name: 'message orders', ageMs: 0 }]);
    run.end();
    await target.settle();
    target.force();
    await target.close();
    expect(target.inFlight()).toEqual([]);
    expect(meter.inFlight).toBe(0);
  });

  it('does not count messages that an unknown transport accepts during the drain', async () => {
    const { server, meter, target } = setup();
    await target.shed();
    server.begin();
    expect(meter.inFlight).toBe(0);
    await target.settle();
  });

  it('keeps counting when the broker decides which message is the last', async () => {
    const { server, meter, target } = setup(nats({ drain: answered, flush: answered }));
    await target.shed();
    server.begin();
    expect(meter.inFlight).toBe(1);
  });

  it('leaves no timer running', async () => {
    const { target, clock } = setup(nats({ drain: answered, flush: answered }));
    await target.shed();
    await target.settle();
    expect(clock.pendingTimers).toBe(0);
  });

  it('can shed and settle again', async () => {
    const { target, logger } = setup(nats({ drain: answered, flush: answered }));
    await target.shed();
    await target.settle();
    await target.shed();
    await target.settle();
    expect(logger.lines).toEqual([]);
  });
});

describe('RpcTarget with a broker that does not answer', () => {
  it('waits one second for it to stop sending', async () => {
    const { target, clock, logger } = setup(nats({ drain: never, flush: never }));
    const shed = target.shed();
    await clock.advanceAsync(999);
    expect(await isSettled(shed)).toBe(false);
    await clock.advanceAsync(1);
    await shed;
    expect(logger.lines).toEqual(['warn: FakeServer did not stop accepting messages within 1 s']);
  });

  it('does not ask for confirmation when there was no reply', async () => {
    const { target, clock } = setup(nats({ drain: never, flush: never }));
    const shed = target.shed();
    await clock.advanceAsync(1_000);
    await shed;
    await target.settle();
    expect(clock.monotonic()).toBe(1_000);
  });

  it('waits one second for it to confirm the replies', async () => {
    const { server, target, clock, logger } = setup(nats({ drain: answered, flush: never }));
    await target.shed();
    server.send('stream', answered);
    await server.responders[0]!({ isDisposed: true });
    const settled = target.settle();
    await clock.advanceAsync(1_000);
    await settled;
    expect(logger.lines).toEqual(['warn: FakeServer did not confirm its replies within 1 s']);
  });

  it('waits one second for a reply that is not sent', async () => {
    const { server, target, clock, logger } = setup();
    server.send('stream', never);
    await target.shed();
    void server.responders[0]!({ isDisposed: true });
    const settled = target.settle();
    await clock.advanceAsync(1_000);
    await settled;
    expect(logger.lines).toEqual(['warn: FakeServer did not send its replies within 1 s']);
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('closed connection')), 'closed connection'],
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- libraries do it
    ['rejects with text', () => Promise.reject('closed'), 'closed'],
    [
      'throws',
      () => {
        throw new Error('closed connection');
      },
      'closed connection',
    ],
  ])('continues when the library %s', async (_what, drain, text) => {
    const { target, logger } = setup(nats({ drain, flush: answered }));
    await target.shed();
    expect(logger.lines).toEqual([`warn: FakeServer could not stop accepting messages: ${text}`]);
  });
});

describe('RpcTarget with directly connected callers', () => {
  const socket = (writableLength: number) => ({
    destroyed: false,
    writableLength,
    writable: true,
    remoteAddress: '10.0.0.7',
    remotePort: 4242,
    once: () => undefined,
    write: (_data: string, done: () => void) => void (writableLength === 0 && done()),
  });
  const tcp = (...sockets: object[]) => Object.assign(new FakeServer(TCP), { openSockets: new Set(sockets) });

  it('gives a late event one second to be handled', async () => {
    const { server, target, clock, logger } = setup(tcp());
    await target.shed();
    const events = [server.begin(), server.begin()];
    const first = target.settle();
    events[0]!.end();
    expect(await isSettled(first)).toBe(false);
    events[1]!.end();
    await first;
    expect(clock.monotonic()).toBe(0);

    server.begin();
    const second = target.settle();
    await clock.advanceAsync(1_000);
    await second;
    expect(logger.lines).toEqual([]);
  });

  it('waits for unsent replies without a separate limit, and lists them as in-flight work', async () => {
    const { target, clock } = setup(tcp(socket(5), socket(0)));
    expect(target.inFlight()).toEqual([]);
    await target.shed();
    expect(target.inFlight()).toEqual([{ name: 'reply to 10.0.0.7:4242', ageMs: 0 }]);
    const settled = target.settle();
    await clock.advanceAsync(60_000);
    expect(await isSettled(settled)).toBe(false);
  });
});

describe('RpcTarget when Nest closes its transport', () => {
  it('closes the transport', async () => {
    const { server } = setup();
    await server.close();
    expect(server.closed).toBe(1);
  });

  it('turns a failure into a warning, so that Nest continues', async () => {
    const failing = Object.assign(new FakeServer(), {
      close: () => Promise.reject(new Error('Connection is closed.')),
    });
    const { server, logger } = setup(failing);
    await server.close();
    expect(logger.lines).toEqual(['warn: FakeServer could not be closed: Connection is closed.']);
  });

  it('waits without a limit when the broker has answered', async () => {
    const slow = Object.assign(nats({ drain: answered, flush: answered }), { close: never });
    const { server, target, clock } = setup(slow);
    await target.shed();
    const closed = Promise.resolve(server.close());
    await clock.advanceAsync(60_000);
    expect(await isSettled(closed)).toBe(false);
  });

  it('waits one second when the broker has not answered', async () => {
    const hanging = Object.assign(nats({ drain: never, flush: never }), { close: never });
    const { server, target, clock, logger } = setup(hanging);
    const shed = target.shed();
    await clock.advanceAsync(1_000);
    await shed;
    const closed = server.close();
    await clock.advanceAsync(1_000);
    await closed;
    expect(logger.lines.at(-1)).toBe('warn: FakeServer did not close its connections within 1 s');
  });

  it('fails at boot when the transport cannot be closed', () => {
    const server = Object.assign(new FakeServer(), { close: undefined }) as unknown as FakeServer;
    expect(() => setup(server)).toThrow('DrainModule needs FakeServer.close(), which does not exist.');
  });
});

describe('RpcTarget with the NATS option gracefulShutdown', () => {
  const warnings = (options?: object, transport: number = NATS) =>
    setup(new FakeServer(transport, options)).logger.lines;

  it.each([
    [{ gracefulShutdown: true }, '10 s'],
    [{ gracefulShutdown: true, gracePeriod: 2_500 }, '2.5 s'],
  ])('warns once about the sleep caused by %j', (options, slept) => {
    expect(warnings(options)).toEqual([
      expect.stringContaining(`warn: The NATS option gracefulShutdown delays every shutdown by ${slept}`),
    ]);
  });

  it('does not warn without it or on other transports', () => {
    expect(warnings()).toEqual([]);
    expect(warnings({ gracefulShutdown: false, gracePeriod: 2_500 })).toEqual([]);
    expect(warnings({ gracefulShutdown: true }, TCP)).toEqual([]);
  });
});
