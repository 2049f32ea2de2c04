import { once } from 'node:events';
import { connect } from 'node:net';
import type { DrainOptions } from '../options.js';
import { isSettled, turns, until } from '../until.fixture.js';
import { runOut, setupTarget } from './http-target.fixture.js';
import { portOf, RawClient } from './raw-client.fixture.js';
import { listening, openStream, TestServers } from './test-servers.fixture.js';

const { jest } = import.meta;
jest.setTimeout(30_000);

const servers = new TestServers();
afterEach(() => servers.closeAll());

const setup = (options: DrainOptions = {}) => setupTarget(servers.http(), { settleMs: 100, ...options });

describe('HttpTarget.settle', () => {
  it('takes no time when there has never been a connection', async () => {
    const { target, clock } = setup();
    target.announce();
    await target.shed();

    await target.settle();

    expect(clock.monotonic()).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('takes no time when the last traffic was long ago, even with open connections', async () => {
    const { server, target, clock } = setup();
    const client = await servers.client(server);
    client.request('GET /');
    (await servers.exchange('/')).response.end('answer');
    await client.untilReceived('answer');
    await until(() => target.inFlight().length === 0);
    await clock.advanceAsync(1_000);
    target.announce();
    await target.shed();

    await target.settle();

    expect(clock.monotonic()).toBe(1_000);
    expect(client.closed).toBe(false);
  });

  it('keeps listening until no new connection has arrived for a moment, because closing resets unaccepted connections', async () => {
    const { server, target, clock } = setup();
    const gone = async (): Promise<void> => {
      const client = await servers.client(server);
      client.abort();
      await until(() => servers.openSockets === 0);
    };
    await gone();
    target.announce();
    await target.shed();
    const settled = target.settle();

    await turns();
    await clock.advanceAsync(9);
    await gone();
    await clock.advanceAsync(9);
    await turns();
    expect(server.listening).toBe(true);

    await clock.advanceAsync(1);
    await settled;
    expect(server.listening).toBe(false);
  });

  it('waits for that no longer than settleMs', async () => {
    const { server, target, clock } = setup({ settleMs: 3 });
    const client = await servers.client(server);
    client.abort();
    await until(() => servers.openSockets === 0);
    target.announce();
    await target.shed();
    const settled = target.settle();

    await turns();
    await clock.advanceAsync(3);
    await settled;
    expect([server.listening, clock.monotonic()]).toEqual([false, 3]);
  });

  it('waits for settleMs after the last response that left its connection open', async () => {
    const { server, target, clock } = setup();
    const client = await servers.client(server);
    await clock.advanceAsync(500);
    client.request('GET /');
    (await servers.exchange('/')).response.end('answer');
    await client.untilReceived('answer');
    await until(() => target.inFlight().length === 0);
    target.announce();
    await target.shed();

    await runOut(clock, target.settle());

    expect(clock.monotonic()).toBeGreaterThanOrEqual(550);
    expect(clock.monotonic()).toBeLessThanOrEqual(605);
  });

  it('waits for settleMs after a connection was opened, but only while it is open', async () => {
    const { server, target, clock } = setup();
    const client = await servers.client(server);
    await until(() => servers.openSockets === 1);
    target.announce();
    await target.shed();
    const settled = target.settle();
    await clock.advanceAsync(20);
    expect(await isSettled(settled)).toBe(false);

    client.abort();
    await until(() => servers.openSockets === 0);
    await runOut(clock, settled);

    expect(clock.monotonic()).toBeLessThan(100);
  });

  it('waits for a refused request that is being answered, up to settleMs', async () => {
    const { server, target, clock, meter } = setup();
    await listening(server);
    target.announce();
    await target.shed();
    const client = await servers.client(server);
    client.request('POST /', 'Content-Length: 100').send('half');
    await client.untilReceived('503');
    await clock.advanceAsync(500);
    const start = clock.monotonic();
    const settled = target.settle();
    expect(await isSettled(settled)).toBe(false);

    await runOut(clock, settled);

    expect(clock.monotonic() - start).toBe(100);
    expect(meter).toMatchObject({ inFlight: 0, shed: 1 });
  });

  it('continues as soon as the last refused request has ended', async () => {
    const { server, target, clock } = setup();
    await listening(server);
    target.announce();
    await target.shed();
    const clients = [await servers.client(server), await servers.client(server)];
    for (const client of clients) {
      client.request('POST /', 'Content-Length: 8').send('half');
      await client.untilReceived('503');
    }
    await clock.advanceAsync(500);
    const start = clock.monotonic();
    const settled = target.settle();

    clients[0]!.send('half');
    await clients[0]!.untilClosed();
    expect(await isSettled(settled)).toBe(false);
    clients[1]!.send('half');
    await clients[1]!.untilClosed();
    await settled;

    expect(clock.monotonic()).toBe(start);
  });

  it.each(['http', 'h2c'] as const)('is not delayed by an endless exempt response over %s', async (kind) => {
    const exempt = ['/events'];
    const { server, target, clock } = setupTarget(kind === 'http' ? servers.http() : servers.h2c(), { exempt });
    await listening(server);
    target.announce();
    await target.shed();
    if (kind === 'http') (await servers.client(server)).request('GET /events');
    else openStream(servers.startSession(server, 'http'), '/events');
    (await servers.exchange('/events')).response.write('tick');
    await clock.advanceAsync(500);
    const start = clock.monotonic();

    await runOut(clock, target.settle());

    expect(clock.monotonic() - start).toBeLessThanOrEqual(210);
  });
});

describe('HttpTarget.close', () => {
  it('closes idle, silent and half-sent connections, and refuses new ones', async () => {
    const { server, target } = setup();
    const [idle, silent, half] = [
      await servers.client(server),
      await servers.client(server),
      await servers.client(server),
    ];
    idle.request('GET /');
    (await servers.exchange('/')).response.end('answer');
    await idle.untilReceived('answer');
    half.send('GET /half HTTP/1.1\r\nHost:');
    target.announce();
    await target.shed();
    const port = portOf(server);

    await target.close();

    await Promise.all([idle, silent, half].map((client) => client.untilClosed()));
    await until(() => servers.openSockets === 0);
    expect(server.listening).toBe(false);
    await expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
  });

  it('closes connections that have not finished, or not started, the TLS handshake', async () => {
    const { server, target } = setupTarget(servers.https());
    const silent = await servers.client(server);
    const spoken = await RawClient.connectTls(server);
    target.announce();
    await target.shed();

    await target.close();

    await Promise.all([silent, spoken].map((client) => client.untilClosed()));
    await until(() => servers.openSockets === 0);
  });

  it('does nothing when called again, or on a server that never listened', async () => {
    const { server, target } = setup();
    await target.close();
    await listening(server);
    await target.close();
    await target.close();

    expect(server.listening).toBe(false);
  });

  it('leaves the server in a state in which its owner can close it', async () => {
    const { server, target } = setup();
    await listening(server);
    await target.close();

    const error = await new Promise<Error | undefined>((resolve) => server.close(resolve));

    expect(error).toMatchObject({ code: 'ERR_SERVER_NOT_RUNNING' });
  });

  it('makes the server emit close after its last connection has closed', async () => {
    const { server, target } = setup();
    await servers.client(server);
    const closed = once(server, 'close');

    await target.close();

    await closed;
    await until(() => servers.openSockets === 0);
  });
});

describe('HttpTarget, connections', () => {
  it('keeps no reference to closed connections', async () => {
    const { server, target, clock } = setupTarget(servers.https());
    await listening(server);
    for (let i = 0; i < 3; i++) {
      const client = await RawClient.connectTls(server);
      client.abort();
      await client.untilClosed();
    }
    await until(() => servers.openSockets === 0);
    await turns();
    await clock.advanceAsync(10);
    await target.settle();

    expect(clock.monotonic()).toBe(10);
  });
});
