import { once } from 'node:events';
import type { ClientHttp2Session, Http2Server } from 'node:http2';
import { isSettled, turns, until } from '../until.fixture.js';
import { FrameClient } from './http2-frames.fixture.js';
import { runOut, setupTarget } from './http-target.fixture.js';
import { listening, openStream, TestServers } from './test-servers.fixture.js';

const { jest } = import.meta;
jest.setTimeout(30_000);

const servers = new TestServers();
afterEach(() => servers.closeAll());

const ANY_STREAM = 2 ** 31 - 1;

/** The last stream id of each GOAWAY frame that a client receives. */
const goawaysOf = (session: ClientHttp2Session): number[] => {
  const ids: number[] = [];
  session.on('goaway', (code: number, lastStreamId: number) => ids.push(code === 0 ? lastStreamId : NaN));
  return ids;
};

const setup = (server: Http2Server = servers.h2c()) => setupTarget(server);

describe('Http2Sessions', () => {
  it('sends GOAWAY twice: first without a last stream, then, after a round trip, with the real one', async () => {
    const { server, target, meter, clock } = setup();
    await listening(server);
    const client = await FrameClient.connect(server);
    client.get(1);
    await until(() => meter.inFlight === 1);

    target.announce();
    await until(() => client.pings.length === 1);
    await turns();
    expect(client.goaways).toEqual([ANY_STREAM]);
    client.answerPing(client.pings[0]!);
    await until(() => client.goaways.length === 2);
    expect(client.goaways).toEqual([ANY_STREAM, 1]);

    servers.exchanges[0]!.response.end('answer');
    await until(() => client.closed && meter.inFlight === 0);
    expect(client.answered).toEqual([1]);
    expect(clock.pendingTimers).toBeLessThanOrEqual(1);
  });

  it('tells a client that its request crossed the first GOAWAY and is not served', async () => {
    const { server, target, meter } = setup();
    await listening(server);
    const client = await FrameClient.connect(server);
    client.get(1);
    await until(() => meter.inFlight === 1);
    target.announce();
    client.get(3);
    await until(() => client.pings.length === 1);

    client.answerPing(client.pings[0]!);

    await until(() => client.goaways.length === 2);
    expect(client.goaways).toEqual([ANY_STREAM, Math.max(...servers.exchanges.map((_, i) => 2 * i + 1))]);
  });

  it('closes a session without streams within settleMs', async () => {
    const { server, target, clock } = setup();
    const session = await servers.session(server, 'http');
    const goaways = goawaysOf(session);
    target.announce();
    await runOut(clock, target.shed());
    await until(() => session.destroyed && servers.openSockets === 0);
    await target.settle();

    expect(goaways[0]).toBe(ANY_STREAM);
    expect(clock.monotonic()).toBeLessThanOrEqual(100);
  });

  it.each([
    ['serves', 'announced'],
    ['answers', 'shed'],
  ])('%s the first request of a client that connects when the drain is %s, then sends GOAWAY', async (_, state) => {
    const { server, target } = setup();
    await listening(server);
    target.announce();
    if (state === 'shed') await target.shed();
    const session = servers.startSession(server, 'http');
    const goaways = goawaysOf(session);
    const { headers, body } = openStream(session, '/first');
    if (state === 'announced') (await servers.exchange('/first')).response.end('served');

    expect(await headers).toMatchObject({ ':status': state === 'shed' ? 503 : 200 });
    expect(await body).toContain(state === 'shed' ? 'Service Unavailable' : 'served');
    await until(() => goaways[0] === ANY_STREAM);
    await until(() => session.destroyed);
  });

  it('closes a session that is opened late and sends no request', async () => {
    const { server, target, clock } = setup();
    await listening(server);
    target.announce();
    await target.shed();
    const session = await servers.session(server, 'http');
    await until(() => servers.openSockets === 1);
    await turns();

    await clock.advanceAsync(100);

    await until(() => session.destroyed);
  });

  it('waits no longer than settleMs for a client that does not answer the ping', async () => {
    const { server, target, clock, meter } = setup();
    await listening(server);
    const client = await FrameClient.connect(server);
    client.get(1);
    await until(() => meter.inFlight === 1);
    target.announce();
    const shed = target.shed();
    await clock.advanceAsync(99);
    expect(await isSettled(shed)).toBe(false);

    await clock.advanceAsync(1);

    await shed;
    await until(() => client.goaways.length === 2);
    expect(client.goaways).toEqual([ANY_STREAM, 1]);
  });

  it('stops tracking sessions that clients close', async () => {
    const { server, target, clock } = setup();
    const session = await servers.session(server, 'http');
    session.close();
    await once(session, 'close');
    await until(() => servers.openSockets === 0);
    await clock.advanceAsync(10);
    target.announce();
    await target.shed();
    await target.settle();

    expect([clock.monotonic(), clock.pendingTimers]).toEqual([10, 0]);
  });

  it('survives a client that disconnects before it answers the ping', async () => {
    const { server, target, clock } = setup();
    const session = await servers.session(server, 'http');
    target.announce();
    const shed = target.shed();

    session.destroy();

    await runOut(clock, shed);
    await runOut(clock, target.settle());
    await until(() => servers.openSockets === 0);
  });

  it('keeps a session open until a slow client has read the response', async () => {
    const { server, target, meter, clock } = setup();
    const session = await servers.session(server, 'http');
    const { stream } = openStream(session, '/big');
    stream.pause();
    const { response } = await servers.exchange('/big');
    const size = 4 * 2 ** 20;
    response.end(Buffer.alloc(size, 'x'));
    target.announce();
    await target.shed();
    let received = 0;
    stream.on('data', (chunk: string) => (received += chunk.length)).resume();

    await until(() => meter.inFlight === 0);
    await runOut(clock, target.settle());
    await target.close();
    await until(() => stream.closed);
    expect(received).toBe(size);
  });

  it('cuts off streams at the deadline and lets the session end', async () => {
    const { server, target, meter } = setup();
    const session = await servers.session(server, 'http');
    const { stream } = openStream(session, '/stuck');
    await servers.exchange('/stuck');

    target.force();

    await until(() => stream.closed);
    await until(() => meter.inFlight === 0);
    expect(session.destroyed).toBe(false);
  });

  it('sends GOAWAY to clients of a secure server that also serves HTTP/1', async () => {
    const { target, server, clock } = setupTarget(servers.h2({ allowHTTP1: true }));
    const session = await servers.session(server, 'https');
    const goaways = goawaysOf(session);
    target.announce();
    await runOut(clock, target.shed());
    await runOut(clock, target.settle());
    await target.close();

    await until(() => session.destroyed && servers.openSockets === 0);
    expect(goaways[0]).toBe(ANY_STREAM);
  });
});
