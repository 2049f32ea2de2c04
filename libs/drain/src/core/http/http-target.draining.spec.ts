import { once } from 'node:events';
import { until, turns } from '../until.fixture.js';
import type { Exemption } from './exemptions.js';
import { runOut, setupTarget } from './http-target.fixture.js';
import { listening, TestServers } from './test-servers.fixture.js';
import { RawClient } from './raw-client.fixture.js';

const { jest } = import.meta;
jest.setTimeout(30_000);

const servers = new TestServers();
afterEach(() => servers.closeAll());

const setup = (exempt: Exemption[] = []) => setupTarget(servers.http(), { exempt });

describe('HttpTarget.announce', () => {
  it('does not set Connection: close before it is called', async () => {
    const { server } = setup();
    const client = await servers.client(server);
    client.request('GET /');
    (await servers.exchange('/')).response.end('answer');

    expect(await client.untilReceived('answer')).toContain('Connection: keep-alive');
  });

  it('accepts and counts requests, and ends their connections', async () => {
    const { server, target, meter } = setup();
    const client = await servers.client(server);
    target.announce();
    client.request('GET /');
    (await servers.exchange('/')).response.end('answer');

    expect(await client.untilClosed()).toMatch(/^HTTP\/1\.1 200[^]*Connection: close[^]*answer$/);
    expect(client.error).toBeUndefined();
    await until(() => meter.inFlight === 0);
    expect(meter).toMatchObject({ admitted: 1, shed: 0 });
  });

  it('answers the in-flight request with Connection: close, then ends its connection', async () => {
    const { server, target } = setup();
    const client = await servers.client(server);
    client.request('GET /');
    const { response } = await servers.exchange('/');

    target.announce();
    response.end('answer');

    expect(await client.untilClosed()).toMatch(/Connection: close[^]*answer$/);
  });

  it('ends the connection after a response whose headers were sent before', async () => {
    // No keep-alive timeout, so that Node does not end the connection.
    const { server, target, meter, clock } = setupTarget(servers.http({ keepAliveTimeout: 0 }));
    const client = await servers.client(server);
    client.request('GET /');
    const { response } = await servers.exchange('/');
    response.write('part one');
    await client.untilReceived('part one');

    target.announce();
    response.end('part two');

    expect(await runOut(clock, client.untilClosed())).toMatch(
      /Connection: keep-alive[^]*part one[^]*part two\r\n0\r\n\r\n$/,
    );
    await until(() => meter.inFlight === 0);
  });

  it('answers all pipelined requests and sets close only on the last', async () => {
    const { server, target, meter } = setup();
    const client = await servers.client(server);
    client.request('GET /1').request('GET /2');
    const [first, second] = [await servers.exchange('/1'), await servers.exchange('/2')];
    target.announce();
    client.request('GET /3');
    const third = await servers.exchange('/3');

    third.response.end('third');
    first.response.end('first');
    second.response.end('second');

    const received = await client.untilClosed();
    expect(client.statuses).toEqual([200, 200, 200]);
    expect(received).toMatch(/first[^]*second[^]*Connection: close[^]*third$/);
    expect(received.match(/Connection: close/g)).toHaveLength(1);
    await until(() => meter.inFlight === 0);
  });

  it('counts a request that expects 100-continue once', async () => {
    const { server, target, meter } = setup();
    target.announce();
    const client = await servers.client(server);
    client.request('POST /upload', 'Content-Length: 4', 'Expect: 100-continue');
    const { request, response } = await servers.exchange('/upload');

    expect(meter).toMatchObject({ inFlight: 1, admitted: 1 });
    await client.untilReceived('100 Continue');
    client.send('body');
    await once(request.resume(), 'end');
    response.end('stored');
    await client.untilClosed();
    expect(client.statuses).toEqual([100, 200]);
    await until(() => meter.inFlight === 0);
  });

  it('passes requests to the existing listeners in their order', async () => {
    const { server, target } = setup();
    const calls: string[] = [];
    server.removeListener('request', servers.keep);
    server.on('request', () => calls.push('first'));
    server.once('request', () => calls.push('once'));
    server.on('request', (request, response) => response.end(`${calls.join(' ')} ${request.url}`));
    target.announce();

    const client = await servers.client(server);
    expect(await client.request('GET /1').untilClosed()).toContain('first once /1');
    calls.length = 0;
    const next = await servers.client(server);
    expect(await next.request('GET /2').untilClosed()).toContain('first /2');
  });

  it('counts a request once when a wrapping listener passes it back', async () => {
    const { server, target, meter } = setup();
    const wrapped = server.listeners('request') as ((...args: unknown[]) => void)[];
    server.removeAllListeners('request');
    server.on('request', (...args) => wrapped.forEach((listener) => listener.apply(server, args)));
    target.announce();

    const client = await servers.client(server);
    client.request('GET /');
    (await servers.exchange('/')).response.end();
    await client.untilClosed();
    await until(() => meter.inFlight === 0);
    expect(meter.admitted).toBe(1);
  });
});

describe('HttpTarget.shed', () => {
  const REFUSED = /^HTTP\/1\.1 503 Service Unavailable\r\n[^]*{"statusCode":503,"message":"Service Unavailable"}$/;

  const setupShed = async (exempt: Exemption[] = []) => {
    const target = setup(exempt);
    await listening(target.server);
    const keptAlive = await RawClient.connect(target.server);
    keptAlive.request('GET /before');
    (await servers.exchange('/before')).response.end('before');
    await keptAlive.untilReceived('before');
    target.target.announce();
    await target.target.shed();
    return { ...target, keptAlive };
  };

  it('refuses requests on keep-alive and new connections, so that no handler sees them', async () => {
    const { server, meter, keptAlive } = await setupShed();
    keptAlive.received = '';
    const fresh = await servers.client(server);
    for (const client of [keptAlive, fresh]) {
      const received = await client.request('GET /after').untilClosed();
      expect(received).toMatch(REFUSED);
      expect(received).toMatch(/\r\nRetry-After: 5\r\n/);
      expect(received).toMatch(/\r\nConnection: close\r\n/);
    }

    expect(servers.exchanges.map(({ path }) => path)).toEqual(['/before']);
    expect(meter).toMatchObject({ inFlight: 0, admitted: 1, shed: 2 });
  });

  it('lets admitted requests pass', async () => {
    const { server, target, meter } = setup();
    const client = await servers.client(server);
    client.request('POST /upload', 'Content-Length: 8').send('half');
    const { request, response } = await servers.exchange('/upload');
    target.announce();
    await target.shed();
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    client.send('half');
    await once(request, 'end');
    response.end(`got ${body}`);

    expect(await client.untilClosed()).toContain('got halfhalf');
    await until(() => meter.inFlight === 0);
    expect(meter.shed).toBe(0);
  });

  it('serves exempt requests without counting them as admitted', async () => {
    const { server, meter } = await setupShed(['/metrics', ({ method }) => method === 'OPTIONS']);
    for (const line of ['GET /metrics?all', 'OPTIONS /any']) {
      const client = await servers.client(server);
      client.request(line);
      (await servers.exchange(line.split(' ')[1]!)).response.end('served');
      expect(await client.untilClosed()).toMatch(/200 OK[^]*Connection: close[^]*served$/);
    }

    expect(meter).toMatchObject({ inFlight: 0, admitted: 1, shed: 0 });
  });

  it('answers a request that expects 100-continue with the refusal only', async () => {
    const { server, meter } = await setupShed();
    const client = await servers.client(server);
    client.request('POST /upload', 'Content-Length: 4', 'Expect: 100-continue');

    expect(await client.untilClosed()).toMatch(REFUSED);
    expect(meter).toMatchObject({ inFlight: 0, admitted: 1, shed: 1 });
  });

  it('lets an exempt request that expects 100-continue send its body', async () => {
    const { server } = await setupShed(['/upload']);
    const client = await servers.client(server);
    client.request('POST /upload', 'Content-Length: 4', 'Expect: 100-continue');
    const { request, response } = await servers.exchange('/upload');
    await client.untilReceived('100 Continue');
    client.send('body');
    await once(request.resume(), 'end');
    response.end('stored');

    expect(await client.untilClosed()).toContain('stored');
  });

  it('does not refuse a request that a checkContinue listener has not answered yet', async () => {
    const { server, target, meter } = setup();
    let goOn = (): void => undefined;
    server.on('checkContinue', (request, response) => {
      goOn = () => {
        response.writeContinue();
        server.emit('request', request, response);
      };
    });
    const client = await servers.client(server);
    client.request('POST /upload', 'Content-Length: 4', 'Expect: 100-continue');
    await until(() => meter.inFlight === 1);
    target.announce();
    await target.shed();

    goOn();
    (await servers.exchange('/upload')).response.end('stored');

    expect(await client.untilClosed()).toContain('stored');
    await until(() => meter.inFlight === 0);
    expect(meter).toMatchObject({ admitted: 1, shed: 0 });
  });

  it('refuses a pipelined request in its turn, after the in-flight one', async () => {
    const { server, target, meter } = setup();
    const client = await servers.client(server);
    client.request('GET /1');
    const { response } = await servers.exchange('/1');
    target.announce();
    await target.shed();
    client.request('GET /2');
    await until(() => meter.shed === 1);
    response.end('first');

    expect(await client.untilClosed()).toMatch(/200 OK[^]*first[^]*503 Service Unavailable[^]*Connection: close/);
  });

  it('stops tracking a refused pipelined request whose turn never comes', async () => {
    const { server, target, meter, clock } = setup();
    const client = await servers.client(server);
    client.request('GET /1');
    await servers.exchange('/1');
    target.announce();
    await target.shed();
    client.request('GET /2');
    await until(() => meter.shed === 1);

    client.abort();
    await until(() => meter.inFlight === 0 && servers.openSockets === 0);
    clock.advance(1_000);
    await target.settle();
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('HttpTarget.force', () => {
  it('cuts off in-flight requests, including those waiting for their turn', async () => {
    const { server, target, meter } = setup();
    const client = await servers.client(server);
    client.request('GET /1').request('GET /2');
    await servers.exchange('/2');

    target.force();

    await client.untilClosed();
    await until(() => meter.inFlight === 0);
    expect(client.statuses).toEqual([]);
  });

  it('does not touch other connections', async () => {
    const { server, target } = setup();
    const [busy, idle] = [await servers.client(server), await servers.client(server)];
    busy.request('GET /1');
    await servers.exchange('/1');

    target.force();

    await busy.untilClosed();
    await turns();
    expect(idle.closed).toBe(false);
  });
});
