import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { ManualClock } from '@roost/time/testing';
import { type DrainOptions, resolveDrainOptions } from '../options.js';
import { turns, until } from '../until.fixture.js';
import { Shedder } from './shedder.js';
import { TestServers } from './test-servers.fixture.js';

const { jest } = import.meta;
jest.setTimeout(30_000);

const servers = new TestServers();
afterEach(() => servers.closeAll());

const BODY = '{"statusCode":503,"message":"Service Unavailable"}';

/** A server that refuses every request. */
const setup = (options: DrainOptions = {}, serverOptions: object = {}) => {
  const clock = new ManualClock();
  const shedder = new Shedder(resolveDrainOptions({ clock, ...options }, {}));
  const server = servers.track(
    createServer(serverOptions, (request, response) => {
      response.setHeader('Connection', 'close');
      shedder.refuse(request, response, false);
    }),
  );
  server.on('upgrade', (_request, socket: Socket) => shedder.refuseUpgrade(socket));
  return { clock, server, shedder, client: () => servers.client(server) };
};

describe('Shedder.hold', () => {
  it('holds responses back until resume(), which sends all of them', async () => {
    const { shedder, client, server } = setup();
    shedder.hold();
    let arrived = 0;
    server.on('request', () => arrived++);
    const clients = [(await client()).request('GET /a'), (await client()).request('GET /b')];
    await until(() => arrived === 2);
    await turns();
    expect(clients.map(({ received }) => received)).toEqual(['', '']);

    shedder.resume();
    for (const one of clients) expect(await one.untilClosed()).toContain('503');
    expect(await (await client()).request('GET /c').untilClosed()).toContain('503');
  });
});

describe('Shedder.refuse', () => {
  it('sends status, Retry-After, content type, length and body', async () => {
    const client = await setup().client();
    const received = await client.request('GET /').untilClosed();

    expect(received).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
    expect(received).toContain('\r\nRetry-After: 5\r\n');
    expect(received).toContain('\r\nContent-Type: application/json; charset=utf-8\r\n');
    expect(received).toContain(`\r\nContent-Length: ${BODY.length}\r\n`);
    expect(received.split('\r\n\r\n')[1]).toBe(BODY);
  });

  it('uses the configured response, and counts its length in bytes', async () => {
    const shedResponse = { status: 429, contentType: 'text/plain; charset=utf-8', body: 'später' };
    const client = await setup({ shedResponse, retryAfterSeconds: 0 }).client();
    const received = await client.request('GET /').untilClosed();

    expect(received).toMatch(/^HTTP\/1\.1 429 Too Many Requests\r\n/);
    expect(received).toContain('\r\nRetry-After: 0\r\n');
    expect(received).toContain('\r\nContent-Length: 7\r\n');
    expect(Buffer.from(received, 'latin1').toString()).toContain('\r\n\r\nspäter');
  });

  it.each(['GET /', 'POST /'])('can respond without a body: %s', async (line) => {
    const client = await setup({ shedResponse: { body: '' } }).client();
    client.request(line, 'Content-Length: 4').send('body');

    expect(await client.untilClosed()).toMatch(/503[^]*Content-Length: 0\r\n[^]*\r\n\r\n$/);
  });

  it.each([{}, { rejectNonStandardBodyWrites: true }])(
    'responds to HEAD without a body on a server with %j',
    async (o) => {
      const client = await setup({}, o).client();
      expect(await client.request('HEAD /').untilClosed()).toMatch(/503[^]*Content-Length: 50\r\n[^]*\r\n\r\n$/);

      const uploading = await setup({}, o).client();
      uploading.request('HEAD /', 'Content-Length: 4').send('body');
      expect(await uploading.untilClosed()).toMatch(/503[^]*\r\n\r\n$/);
    },
  );

  it('responds immediately and keeps the connection open until the body has arrived', async () => {
    const { clock, client: connect } = setup();
    const client = await connect();
    client.request('POST /', 'Content-Length: 10').send('12345');
    await client.untilReceived(BODY);
    await turns();
    expect(client.ended).toBe(false);
    expect(clock.pendingTimers).toBe(1);

    client.send('67890');

    await client.untilClosed();
    expect(client.error).toBeUndefined();
    expect(clock.pendingTimers).toBe(0);
  });

  it('does the same for a body of unknown length', async () => {
    const { clock, client: connect } = setup();
    const client = await connect();
    client.request('POST /', 'Transfer-Encoding: chunked').send('3\r\nabc\r\n');
    await client.untilReceived(BODY);
    expect(clock.pendingTimers).toBe(1);

    client.send('0\r\n\r\n');

    await client.untilClosed();
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends after a second when the body does not arrive completely', async () => {
    const { clock, client: connect } = setup();
    const client = await connect();
    client.request('POST /', 'Content-Length: 10').send('12345');
    await client.untilReceived(BODY);

    clock.advance(999);
    await turns();
    expect(client.ended).toBe(false);
    clock.advance(1);

    await client.untilClosed();
    expect(client.received).toContain(BODY);
  });

  it('leaves no timer running when the client disconnects', async () => {
    const { clock, client: connect } = setup();
    const client = await connect();
    client.request('POST /', 'Content-Length: 10').send('12345');
    await client.untilReceived(BODY);

    client.abort();

    await until(() => clock.pendingTimers === 0);
  });

  it('does not wait for a body of length 0', async () => {
    const { clock, client: connect } = setup();
    const client = await connect();

    await client.request('POST /', 'Content-Length: 0').untilClosed();

    expect(clock.pendingTimers).toBe(0);
  });
});

describe('Shedder.refuseUpgrade', () => {
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket'];

  it('responds in plain HTTP and ends the connection', async () => {
    const client = await setup().client();

    expect(await client.request('GET /', ...upgrade).untilClosed()).toBe(
      'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Type: application/json; charset=utf-8\r\n' +
        `Content-Length: 50\r\nConnection: close\r\n\r\n${BODY}`,
    );
  });

  it('accepts a status code without a standard name', async () => {
    const client = await setup({ shedResponse: { status: 599 } }).client();

    expect(await client.request('GET /', ...upgrade).untilClosed()).toMatch(/^HTTP\/1\.1 599 \r\n/);
  });

  it('ends the connection of a client that keeps its side open', async () => {
    const { server, client: connect } = setup();
    const client = await connect();
    client.socket.allowHalfOpen = true;
    await client.request('GET /', ...upgrade).untilReceived(BODY);
    client.abort();

    await until(() => servers.openSockets === 0);
    expect(server.listening).toBe(true);
  });
});
