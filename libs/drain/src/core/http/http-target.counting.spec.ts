import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Meter } from '../meter.js';
import { turns, until } from '../until.fixture.js';
import { setupTarget } from './http-target.fixture.js';
import { RawClient } from './raw-client.fixture.js';
import type { AnyHttpServer } from './server.js';
import { listening, openStream, TestServers } from './test-servers.fixture.js';

const { jest } = import.meta;
jest.setTimeout(30_000);

const servers = new TestServers();
afterEach(() => servers.closeAll());

const setup = (server: Server = servers.http()) => setupTarget(server);

/** In-flight and admitted requests, read together: the first must never be wrong. */
const counts = ({ inFlight, admitted }: Meter) => ({ inFlight, admitted });

describe('HttpTarget, counting', () => {
  it('counts a request from its head to the last byte of its response', async () => {
    const { server, meter, target, clock } = setup();
    const client = await servers.client(server);
    client.request('GET /report?token=secret');
    const { response } = await servers.exchange('/report?token=secret');

    expect(counts(meter)).toEqual({ inFlight: 1, admitted: 1 });
    expect(target.inFlight()).toEqual([{ name: 'GET /report', ageMs: 0 }]);
    clock.advance(1_500);
    expect(target.inFlight()).toEqual([{ name: 'GET /report', ageMs: 1_500 }]);

    response.end('done');
    expect(meter.inFlight).toBe(1);
    await client.untilReceived('done');
    await until(() => meter.inFlight === 0);
    expect(target.inFlight()).toEqual([]);
  });

  it('counts each request on a keep-alive connection', async () => {
    const { server, meter } = setup();
    const client = await servers.client(server);
    for (const path of ['/1', '/2', '/3']) {
      client.request(`GET ${path}`);
      (await servers.exchange(path)).response.end(`answer ${path}`);
      await client.untilReceived(`answer ${path}`);
    }

    await until(() => meter.inFlight === 0);
    expect(meter.admitted).toBe(3);
  });

  it('keeps a response in flight until a slow client has read it', async () => {
    const { server, meter } = setup();
    const client = await servers.client(server);
    client.socket.pause();
    client.request('GET /big');
    const { response } = await servers.exchange('/big');
    const size = 8 * 2 ** 20;
    response.end(Buffer.alloc(size, 'x'));
    await turns(50);

    expect(response.writableEnded).toBe(true);
    expect(meter.inFlight).toBe(1);

    client.socket.resume();
    await until(() => client.received.length > size);
    await until(() => meter.inFlight === 0);
  });

  it('counts HEAD and HTTP/1.0 requests', async () => {
    const { server, meter } = setup();
    const client = await servers.client(server);
    client.request('HEAD /head');
    (await servers.exchange('/head')).response.end('not sent');
    await client.untilReceived('\r\n\r\n');
    client.send('GET /old HTTP/1.0\r\n\r\n');
    (await servers.exchange('/old')).response.end('sent');

    await client.untilClosed();
    await until(() => meter.inFlight === 0);
    expect(counts(meter)).toEqual({ inFlight: 0, admitted: 2 });
  });

  it.each(['before the response', 'within the response'])(
    'stops counting a request when its client disconnects %s',
    async (when) => {
      const { server, meter } = setup();
      const client = await servers.client(server);
      client.request('GET /');
      const { response } = await servers.exchange('/');
      if (when === 'within the response') {
        response.write('part');
        await client.untilReceived('part');
      }

      client.abort();

      await until(() => meter.inFlight === 0);
      response.end('too late');
      await turns();
      expect(counts(meter)).toEqual({ inFlight: 0, admitted: 1 });
    },
  );

  it('stops counting an upload when its client disconnects in the middle of the body', async () => {
    const { server, meter } = setup();
    const client = await servers.client(server);
    client.request('POST /upload', 'Content-Length: 100').send('half');
    const { request } = await servers.exchange('/upload');
    request.on('error', () => undefined).resume();

    client.abort();

    await until(() => meter.inFlight === 0);
  });

  it('stops counting a response that the handler destroys', async () => {
    const { server, meter } = setup();
    const client = await servers.client(server);
    client.request('GET /');

    (await servers.exchange('/')).response.destroy();

    await client.untilClosed();
    await until(() => meter.inFlight === 0);
  });

  it('counts nothing when Node itself answers data that is not HTTP', async () => {
    const { server, meter } = setup();
    const client = await servers.client(server);

    expect(await client.send('nonsense\r\n\r\n').untilClosed()).toContain('400 Bad Request');
    expect(counts(meter)).toEqual({ inFlight: 0, admitted: 0 });
  });

  it('counts a request that another listener handles alone', async () => {
    const { server, meter } = setup();
    server.removeListener('request', servers.keep);
    server.on('request', (_request, response) => response.end('from a listener that came later'));

    const client = await servers.client(server);
    await client.request('GET /').untilReceived('that came later');

    await until(() => meter.inFlight === 0);
    expect(meter.admitted).toBe(1);
  });

  it('does not count requests of other servers in the process', async () => {
    const one = setup();
    const other = setup(servers.http());
    (await servers.client(one.server)).request('GET /one');
    await servers.exchange('/one');

    expect([one.meter.inFlight, other.meter.inFlight]).toEqual([1, 0]);
    expect(other.target.inFlight()).toEqual([]);
  });
});

describe('HttpTarget, counting pipelined requests', () => {
  /** Three requests on one connection. The first one has its turn. */
  const pipeline = async (server: Server) => {
    const client = await servers.client(server);
    client.request('GET /1').request('POST /2', 'Content-Length: 4').send('body').request('GET /3');
    const exchanges = [await servers.exchange('/1'), await servers.exchange('/2'), await servers.exchange('/3')];
    return { client, exchanges };
  };

  it('counts all of them, in whatever order they are answered', async () => {
    const { server, meter } = setup();
    const { client, exchanges } = await pipeline(server);
    expect(meter.inFlight).toBe(3);

    exchanges[2]!.response.end('third');
    exchanges[1]!.response.end('second');
    await turns();
    expect(meter.inFlight).toBe(3);
    exchanges[0]!.response.end('first');

    await client.untilReceived('third');
    await until(() => meter.inFlight === 0);
    expect(client.received).toMatch(/first[^]*second[^]*third/);
  });

  it.each([
    ['unread', () => undefined],
    ['read', (request: NodeJS.ReadableStream) => request.resume()],
  ])('stops counting requests whose turn never comes: body %s', async (_, read) => {
    const { server, meter } = setup();
    const { client, exchanges } = await pipeline(server);
    for (const { request } of exchanges) {
      request.on('error', () => undefined);
      read(request);
    }
    await turns();

    client.abort();

    await until(() => meter.inFlight === 0);
    await turns();
    expect(counts(meter)).toEqual({ inFlight: 0, admitted: 3 });
  });

  it('counts each one down once when its answer was ready', async () => {
    const { server, meter } = setup();
    const { client, exchanges } = await pipeline(server);
    exchanges[2]!.response.end('third');
    exchanges[1]!.response.destroy();

    client.abort();

    await until(() => meter.inFlight === 0);
    await turns();
    expect(meter.inFlight).toBe(0);
  });

  it('adds no listener per request to the connection', async () => {
    const { server, meter } = setup();
    const client = await servers.client(server);
    client.request('GET /first');
    const { request, response } = await servers.exchange('/first');
    const before = request.socket.listenerCount('close');
    for (let i = 0; i < 30; i++) client.request(`GET /${i}`);
    await servers.exchange('/29');

    expect(request.socket.listenerCount('close')).toBeLessThanOrEqual(before + 1);

    response.end();
    for (let i = 0; i < 30; i++) (await servers.exchange(`/${i}`)).response.end();
    await until(() => meter.inFlight === 0);
  });
});

describe('HttpTarget, counting requests that expect 100-continue', () => {
  const upload = async (server: Server) => {
    const client = await servers.client(server);
    return client.request('POST /upload', 'Content-Length: 4', 'Expect: 100-continue');
  };

  const answer = async (client: RawClient) => {
    const { request, response } = await servers.exchange('/upload');
    await client.untilReceived('100 Continue');
    client.send('body');
    await once(request.resume(), 'end');
    response.end('stored');
    return client.untilReceived('stored');
  };

  it('leaves them to Node when there is no other listener', async () => {
    const { server, meter } = setup();
    const client = await upload(server);
    await servers.exchange('/upload');
    expect(counts(meter)).toEqual({ inFlight: 1, admitted: 1 });

    await answer(client);
    await until(() => meter.inFlight === 0);
  });

  it.each(['before', 'after'])('counts them once for a listener added %s that continues as usual', async (order) => {
    const add = (server: Server) =>
      server.on('checkContinue', (request, response) => {
        response.writeContinue();
        server.emit('request', request, response);
      });
    const server = servers.http();
    if (order === 'before') add(server);
    const { meter } = setup(server);
    if (order === 'after') add(server);

    const client = await upload(server);
    await servers.exchange('/upload');
    expect(counts(meter)).toEqual({ inFlight: 1, admitted: 1 });

    await answer(client);
    await until(() => meter.inFlight === 0);
  });

  it('counts them when a listener answers on its own', async () => {
    const { server, meter } = setup();
    server.on('checkContinue', (_request, response) => void response.writeHead(413).end('too big'));

    await (await upload(server)).untilReceived('too big');

    await until(() => meter.inFlight === 0);
    expect(meter.admitted).toBe(1);
  });

  it('leaves them to Node again after the only listener is removed', async () => {
    const { server, meter } = setup();
    const listener = (): void => undefined;
    server.on('checkContinue', listener).off('checkContinue', listener);
    const client = await upload(server);
    await servers.exchange('/upload');

    await answer(client);
    await until(() => meter.inFlight === 0);
  });
});

describe('HttpTarget, counting over TLS and HTTP/2', () => {
  it('counts https requests', async () => {
    const { server, meter } = setupTarget(servers.https());
    await listening(server);
    const client = await RawClient.connectTls(server);
    client.request('GET /tls');
    const { response } = await servers.exchange('/tls');
    expect(meter.inFlight).toBe(1);

    response.end('secret');
    await client.untilReceived('secret');
    await until(() => meter.inFlight === 0);
    client.abort();
  });

  it.each(['http', 'https'] as const)('counts the streams of a session over %s', async (scheme) => {
    const { server, meter, target } = setupTarget<AnyHttpServer>(scheme === 'http' ? servers.h2c() : servers.h2());
    const session = await servers.session(server, scheme);
    const replies = ['/1', '/2'].map((path) => openStream(session, path));
    const exchanges = [await servers.exchange('/1'), await servers.exchange('/2')];
    expect(meter.inFlight).toBe(2);
    expect(target.inFlight().map(({ name }) => name)).toEqual(['GET /1', 'GET /2']);

    for (const { response } of exchanges) response.end('answer');
    expect(await Promise.all(replies.map(({ body }) => body))).toEqual(['answer', 'answer']);
    await until(() => meter.inFlight === 0);
  });

  it('stops counting a stream that the client cancels, and all streams when it disconnects', async () => {
    const { server, meter } = setupTarget(servers.h2c());
    const session = await servers.session(server, 'http');
    const { stream } = openStream(session, '/1');
    openStream(session, '/2');
    openStream(session, '/3');
    await servers.exchange('/3');

    stream.close();
    await until(() => meter.inFlight === 2);
    session.destroy();
    await until(() => meter.inFlight === 0);
    expect(meter.admitted).toBe(3);
  });

  it('counts HTTP/1 requests on a server that speaks both protocols', async () => {
    const { server, meter } = setupTarget(servers.h2({ allowHTTP1: true }));
    await listening(server);
    const client = await RawClient.connectTls(server);
    client.request('GET /1');
    (await servers.exchange('/1')).response.end('answer');

    await client.untilReceived('answer');
    await until(() => meter.inFlight === 0);
    client.abort();
  });
});
