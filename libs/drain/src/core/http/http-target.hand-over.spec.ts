import type { DrainOptions } from '../options.js';
import { isSettled, until } from '../until.fixture.js';
import { runOut, setupTarget } from './http-target.fixture.js';
import { RawClient } from './raw-client.fixture.js';
import { TestServers } from './test-servers.fixture.js';

const { jest } = import.meta;
jest.setTimeout(30_000);

const servers = new TestServers();
afterEach(() => servers.closeAll());

const handedOver = async (options: DrainOptions = {}) => {
  const setup = setupTarget(servers.http(), { settleMs: 100, ...options });
  const client = await servers.client(setup.server);
  setup.target.announce();
  await setup.target.handOver();
  return { ...setup, client };
};

describe('HttpTarget.handOver', () => {
  it('leaves new connections to the successor', async () => {
    const { server, target } = await handedOver();

    expect(server.listening).toBe(false);
    await expect(RawClient.connect(server)).rejects.toThrow();
    await expect(target.close()).resolves.toBeUndefined();
  });

  it('answers requests on open connections, then ends these connections', async () => {
    const { client, meter } = await handedOver();
    client.request('GET /');
    (await servers.exchange('/')).response.end('answer');

    expect(await client.untilClosed()).toMatch(/^HTTP\/1\.1 200[^]*Connection: close[^]*answer$/);
    await until(() => meter.inFlight === 0);
    expect(meter).toMatchObject({ admitted: 1, shed: 0 });
  });

  it('waits for idle clients as long as keep-alive lasts', async () => {
    const { server, client, clock, target, meter } = await handedOver();
    const settled = target.settle();
    await clock.advanceAsync(server.keepAliveTimeout - 500);
    expect(await isSettled(settled)).toBe(false);
    client.request('GET /');
    (await servers.exchange('/')).response.end('answer');

    expect(await client.untilClosed()).toMatch(/^HTTP\/1\.1 200[^]*Connection: close[^]*answer$/);
    await until(() => meter.inFlight === 0 && servers.openSockets === 0);
    await runOut(clock, settled);
    expect(clock.monotonic()).toBeLessThan(server.keepAliveTimeout);
  });

  it.each([
    ['keep-alive would end the connection', 30_000, 5_100],
    ['half of maxWaitMs has passed', 6_000, 3_000],
  ])('stops waiting when %s', async (_, maxWaitMs, expectedMs) => {
    const { clock, target } = await handedOver({ maxWaitMs });
    await runOut(clock, target.settle());

    expect(clock.monotonic()).toBeGreaterThanOrEqual(expectedMs);
    expect(clock.monotonic()).toBeLessThan(expectedMs + 100);
  });

  it('does not wait without open connections', async () => {
    const { client, clock, target } = await handedOver();
    client.abort();
    await until(() => servers.openSockets === 0);
    await target.settle();

    expect(clock.monotonic()).toBe(0);
  });

  it('refuses requests that arrive after the connections have settled', async () => {
    const { client, clock, target, meter } = await handedOver();
    await runOut(clock, target.settle());
    client.request('GET /');

    expect(await client.untilClosed()).toContain('503');
    expect(meter).toMatchObject({ admitted: 0, shed: 1 });
  });

  it('closes WebSockets, which would otherwise stay open', async () => {
    const { server, target, clock } = setupTarget(servers.http());
    server.on('upgrade', (_request, socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'));
    const client = await servers.client(server);
    client.request('GET /', 'Connection: Upgrade', 'Upgrade: websocket');
    await client.untilReceived('101');
    target.announce();
    await runOut(clock, target.handOver());

    await client.untilClosed();
    expect(Buffer.from(client.received, 'latin1').includes(Buffer.from([0x88]))).toBe(true);
  });
});
