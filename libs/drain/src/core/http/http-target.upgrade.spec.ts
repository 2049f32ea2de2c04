import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { DrainOptions } from '../options.js';
import { isSettled, turns, until } from '../until.fixture.js';
import { setupTarget } from './http-target.fixture.js';
import { listening, TestServers } from './test-servers.fixture.js';
import type { RawClient } from './raw-client.fixture.js';

const { jest } = import.meta;
jest.setTimeout(30_000);

const servers = new TestServers();
afterEach(() => servers.closeAll());

const accept = (_request: IncomingMessage, socket: Duplex): void => {
  socket.on('error', () => undefined);
  socket.on('data', () => undefined).on('end', () => socket.end());
  socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: any\r\n\r\n');
};

const setup = (options: DrainOptions = {}) => setupTarget(servers.http(), { webSocketGraceMs: 400, ...options });

const upgrade = async (client: RawClient, protocol: string, path = '/socket'): Promise<RawClient> => {
  client.request(`GET ${path}`, 'Connection: Upgrade', `Upgrade: ${protocol}`);
  await client.untilReceived('101 Switching');
  return client;
};

describe('HttpTarget, upgraded connections', () => {
  it.each(['before', 'after'])('are not counted as requests: listener added %s', async (order) => {
    const server = servers.http();
    if (order === 'before') server.on('upgrade', accept);
    const { meter, target } = setupTarget(server);
    if (order === 'after') server.on('upgrade', accept);
    await upgrade(await servers.client(server), 'websocket');

    expect(meter).toMatchObject({ inFlight: 0, admitted: 0 });
    expect(target.inFlight()).toEqual([]);
  });

  it('are ordinary requests without a listener, even after the only listener was removed', async () => {
    const { server, meter } = setup();
    server.on('upgrade', accept).off('upgrade', accept);
    const client = await servers.client(server);
    client.request('GET /', 'Connection: Upgrade', 'Upgrade: h2c');
    (await servers.exchange('/')).response.end('in plain HTTP');

    await client.untilReceived('in plain HTTP');
    expect(meter.admitted).toBe(1);
  });

  it('get a close frame on shed, and are terminated when the client does not answer in time', async () => {
    const { server, target, clock } = setup();
    server.on('upgrade', accept);
    const client = await upgrade(await servers.client(server), 'websocket');
    client.received = '';
    target.announce();
    const shed = target.shed();

    expect(await client.untilReceived('\x88\x02\x03\xe9')).toHaveLength(4);
    await clock.advanceAsync(399);
    await turns();
    expect(client.closed).toBe(false);
    await clock.advanceAsync(1);
    await shed;
    await client.untilClosed();
  });

  it('get the same time but no frame when they speak another protocol', async () => {
    const { server, target, clock } = setup();
    server.on('upgrade', accept);
    const client = await upgrade(await servers.client(server), 'my-protocol');
    client.received = '';
    target.announce();
    const shed = target.shed();
    await clock.advanceAsync(400);
    await shed;

    expect(await client.untilClosed()).toBe('');
  });

  it('do not delay the drain after they are closed', async () => {
    const { server, target, clock } = setup();
    server.on('upgrade', accept);
    const clients = [
      await upgrade(await servers.client(server), 'websocket'),
      await upgrade(await servers.client(server), 'websocket'),
    ];
    target.announce();
    const shed = target.shed();
    clients[0]!.abort();
    expect(await isSettled(shed)).toBe(false);

    clients[1]!.abort();
    await shed;
    expect([clock.monotonic(), clock.pendingTimers]).toEqual([0, 0]);
  });

  it('are accepted after the announcement and get a close frame on shed', async () => {
    const { server, target, clock } = setup();
    server.on('upgrade', accept);
    target.announce();
    const client = await upgrade(await servers.client(server), 'WebSocket');
    const shed = target.shed();

    await client.untilReceived('\x88\x02\x03\xe9');
    await clock.advanceAsync(400);
    await shed;
  });

  it('are refused in plain HTTP after shed', async () => {
    const { server, target, meter } = setup({ retryAfterSeconds: 9 });
    server.on('upgrade', accept);
    await listening(server);
    target.announce();
    await target.shed();

    const client = await servers.client(server);
    client.request('GET /socket', 'Connection: Upgrade', 'Upgrade: websocket');

    expect(await client.untilClosed()).toBe(
      'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 9\r\nContent-Type: application/json; charset=utf-8\r\n' +
        'Content-Length: 50\r\nConnection: close\r\n\r\n{"statusCode":503,"message":"Service Unavailable"}',
    );
    expect(meter).toMatchObject({ shed: 1, admitted: 0 });
  });

  it('are accepted after shed when they are exempt, and terminated at the close', async () => {
    const { server, target } = setup({ exempt: ['/socket'] });
    server.on('upgrade', accept);
    await listening(server);
    target.announce();
    await target.shed();
    const client = await upgrade(await servers.client(server), 'websocket');

    await target.close();

    await client.untilClosed();
  });

  it('are terminated at the deadline', async () => {
    const { server, target, clock } = setup();
    server.on('upgrade', accept);
    const client = await upgrade(await servers.client(server), 'websocket');
    target.announce();
    const shed = target.shed();
    await client.untilReceived('\x88');

    target.force();

    await client.untilClosed();
    await shed;
    expect(clock.monotonic()).toBe(0);
  });

  it('are tracked for a listener added after the announcement', async () => {
    const { server, target } = setup();
    await listening(server);
    target.announce();
    server.on('upgrade', accept);
    const client = await upgrade(await servers.client(server), 'websocket');

    target.force();

    await client.untilClosed();
    await until(() => servers.openSockets === 0);
  });
});
