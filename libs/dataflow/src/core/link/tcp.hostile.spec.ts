import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { ManualClock } from '@roost/time/testing';
import { HandshakeRefusedError } from './errors/handshake-refused.error.js';
import { HandshakeTimeoutError } from './errors/handshake-timeout.error.js';
import { MalformedFrameError } from './errors/malformed-frame.error.js';
import { OversizedFrameError } from './errors/oversized-frame.error.js';
import { rawClient, Recorder, until } from './tcp/tcp.fixture.js';

const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const opened = async (...args: Parameters<typeof Recorder.open>): Promise<Recorder> => {
  const recorder = await Recorder.open(...args);
  open.push(recorder.endpoint);
  return recorder;
};

const framed = (payload: Uint8Array, length = payload.length): Buffer => {
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32LE(length);
  return Buffer.concat([prefix, payload]);
};

/** A server that sends every client the same answer, in place of a peer. */
async function impostor(answer: Uint8Array): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(answer);
  }).listen(0, '127.0.0.1');
  open.push(server);
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('tcp, with unidentified clients', () => {
  it.each([
    ['an HTTP request', Buffer.from('GET / HTTP/1.1\r\n\r\n'), OversizedFrameError],
    ['a huge length', Buffer.from([0xff, 0xff, 0xff, 0x7f]), OversizedFrameError],
    ['a length that only a peer may use', framed(Buffer.alloc(0), 1_025), OversizedFrameError],
    ['a length of 0', Buffer.alloc(4), MalformedFrameError],
    ['garbage of a valid length', framed(Buffer.alloc(200, 7)), MalformedFrameError],
    ['a truncated handshake', framed(Buffer.from('RSTD\x01')), MalformedFrameError],
  ])('drops a client that sends %s', async (_what, bytes, error) => {
    const b = await opened('b', {}, { maxFrameBytes: 1_000_000 });
    const { socket, closed } = await rawClient(b.endpoint.address);

    socket.write(bytes);
    await closed;

    expect(b.errors).toEqual([expect.any(error)]);
    expect(b.errors[0]!.message).toContain('127.0.0.1:');
    expect(b.events).toEqual(['stranger failed']);
  });

  it('drops a client that stays silent or is too slow', async () => {
    const clock = new ManualClock();
    const b = await opened('b', { clock });
    const silent = await rawClient(b.endpoint.address);
    const slow = await rawClient(b.endpoint.address);
    await until(() => clock.pendingTimers === 2);
    clock.advance(4_999);
    slow.socket.write(Buffer.of(100, 0));
    await until(() => slow.received.length > 0);

    clock.advance(1);
    await Promise.all([silent.closed, slow.closed]);

    expect(b.errors).toEqual([expect.any(HandshakeTimeoutError), expect.any(HandshakeTimeoutError)]);
    expect(b.errors[0]).toMatchObject({ code: 'DATAFLOW_HANDSHAKE_TIMEOUT', afterMs: 5_000 });
    expect(clock.pendingTimers).toBe(0);
  });

  it('limits the number of unidentified clients, and still accepts peers', async () => {
    const clock = new ManualClock();
    const [a, b] = [await opened('a'), await opened('b', { clock })];
    const first = await rawClient(b.endpoint.address);
    const others = [];
    for (let count = 0; count < 70; count++) others.push(await rawClient(b.endpoint.address));
    await first.closed;

    a.endpoint.link('b', b.endpoint.address);
    await until(() => b.count('a up') === 1);

    // One timer for each connection that is kept.
    expect(clock.pendingTimers).toBeLessThanOrEqual(64);
    for (const { socket } of others) socket.destroy();
  });

  it.each([
    ['token', { token: 'guess' }],
    ['app', { app: 'other' }],
    ['name', { name: 'b' }],
  ] as const)(
    'refuses a process with a wrong %s, reports that once on both sides, and keeps trying',
    async (reason, wrong) => {
      const clock = new ManualClock();
      const [a, b] = [await opened('a', { clock }, wrong), await opened('b')];

      a.endpoint.link('b', b.endpoint.address);
      for (let attempt = 1; attempt <= 3; attempt++) {
        // Waits until the next timer is for another attempt, not for the end of this one.
        await until(() => b.errors.length === attempt && (clock.nextTimerInMs ?? Infinity) < 1_000);
        clock.runNext();
      }

      await until(() => b.errors.length === 4);
      expect(b.errors.every((error) => error instanceof HandshakeRefusedError && error.reason === reason)).toBe(true);
      expect(a.errors).toMatchObject([{ code: 'DATAFLOW_HANDSHAKE_REFUSED', peer: 'b', reason }]);
      expect([...a.errors, ...b.errors].map(String).join()).not.toMatch(/guess|secret/);
      expect([a.events, new Set(b.events)]).toEqual([['b failed'], new Set(['stranger failed'])]);
    },
  );

  it('refuses a process with another name than expected', async () => {
    const [a, c] = [await opened('a'), await opened('c')];

    a.endpoint.link('b', c.endpoint.address);
    await until(() => a.errors.length === 1);

    expect(a.errors).toMatchObject([{ reason: 'name' }]);
    expect(c.errors[0]).toMatchObject({ reason: 'name' });
  });

  it.each([
    ['garbage', Buffer.alloc(300, 7), OversizedFrameError],
    ['an invalid challenge', framed(Buffer.from('RSTD\x01')), MalformedFrameError],
    ['another version', framed(Buffer.from(`RSTD\x02${'n'.repeat(16)}`)), HandshakeRefusedError],
    ['a welcome without the token', framedWelcome(), HandshakeRefusedError],
  ])('does not link with an address that answers with %s', async (_what, answer, error) => {
    const a = await opened('a');

    a.endpoint.link('b', await impostor(answer));
    await until(() => a.errors.length > 0);

    expect(a.errors[0]).toBeInstanceOf(error);
    expect(a.events).toEqual(['b failed']);
  });

  it('gives up an attempt without an answer, and tries again', async () => {
    const clock = new ManualClock();
    const a = await opened('a', { clock });
    let accepted = 0;
    const server = createServer((socket) => {
      accepted++;
      socket.on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    open.push(server);
    await once(server, 'listening');
    a.endpoint.link('b', `127.0.0.1:${(server.address() as AddressInfo).port}`);
    await until(() => accepted === 1);

    clock.advance(5_000);
    await until(() => a.errors.length === 1 && clock.pendingTimers === 1);
    clock.runNext();
    await until(() => accepted === 2);

    expect(a.errors).toMatchObject([{ code: 'DATAFLOW_HANDSHAKE_TIMEOUT', peer: 'b' }]);
  });

  it('drops a peer whose frame is too long, names it, and accepts it again', async () => {
    const [a, b] = [await opened('a', {}, { maxFrameBytes: 2_000 }), await opened('b')];
    a.endpoint.link('b', b.endpoint.address);
    await until(() => b.count('a up') === 1 && a.count('b up') === 1);

    a.endpoint.send('b', new Uint8Array(1_001));
    await until(() => b.count('a up') === 2);

    expect(b.errors).toMatchObject([{ code: 'DATAFLOW_OVERSIZED_FRAME', peer: 'a', bytes: 1_001, limit: 1_000 }]);
    expect(b.frames).toEqual([]);
  });

  it('limits the time to close when a peer does not read', async () => {
    const clock = new ManualClock();
    const limit = { maxFrameBytes: 100_000_000 };
    const [a, b] = [await Recorder.open('a', { clock }, limit), await opened('b', {}, limit)];
    a.endpoint.link('b', b.endpoint.address);
    await until(() => a.count('b up') === 1);
    // More than the buffers of both sockets hold. Side b cannot read in between, because it runs on the same thread.
    for (let count = 0; count < 20; count++) a.endpoint.send('b', new Uint8Array(5_000_000));
    let isClosed = false;

    const closed = a.endpoint.close().then(() => (isClosed = true));
    expect(isClosed).toBe(false);
    clock.advance(2_000);
    await closed;

    expect(b.frames.length).toBeLessThan(20);
    expect(clock.pendingTimers).toBe(0);
  });
});

/** A challenge and a welcome from an acceptor without the token. */
function framedWelcome(): Buffer {
  const prefix = Buffer.from('RSTD\x01');
  const challenge = Buffer.concat([prefix, Buffer.alloc(16)]);
  return Buffer.concat([framed(challenge), framed(Buffer.concat([prefix, Buffer.of(0), Buffer.alloc(32)]))]);
}
