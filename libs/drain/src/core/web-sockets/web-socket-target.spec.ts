import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { ManualClock } from '@roost/time/testing';
import { resolveDrainOptions } from '../options.js';
import { isSettled } from '../until.fixture.js';
import { type WebSocketServerLike, WebSocketTarget } from './web-socket-target.js';

class FakeClient extends EventEmitter {
  readonly log: unknown[][] = [];

  /** @param server drops a client that has closed, as the ws library does */
  constructor(private readonly server?: FakeServer) {
    super();
  }

  close(code: number, reason: string): void {
    this.log.push(['close', code, reason]);
  }

  terminate(): void {
    this.log.push(['terminate']);
    this.gone();
  }

  gone(): void {
    this.server?.clients.delete(this);
    this.emit('close');
  }
}

class FakeServer extends EventEmitter implements WebSocketServerLike {
  readonly clients = new Set<object>();
  readonly upgrades: unknown[] = [];

  handleUpgrade(request: unknown): void {
    this.upgrades.push(request);
  }

  connect(): FakeClient {
    const client = new FakeClient(this);
    this.clients.add(client);
    this.emit('connection', client);
    return client;
  }
}

const GOING_AWAY = ['close', 1001, 'service is stopping'];

const setup = <T extends WebSocketServerLike>(server: T) => {
  const clock = new ManualClock();
  const options = resolveDrainOptions({ clock, webSocketGraceMs: 400 }, {});
  return { server, clock, target: new WebSocketTarget(server, options) };
};

describe('WebSocketTarget with the ws library', () => {
  it('sends a close frame to every client and waits for them', async () => {
    const { server, target, clock } = setup(new FakeServer());
    const clients = [server.connect(), server.connect()];
    target.announce();
    expect(clients.flatMap(({ log }) => log)).toEqual([]);
    const shed = target.shed();
    expect(clients.map(({ log }) => log)).toEqual([[GOING_AWAY], [GOING_AWAY]]);
    clients[0]!.gone();
    expect(await isSettled(shed)).toBe(false);
    clients[1]!.gone();
    await shed;
    expect(clients.map(({ log }) => log.length)).toEqual([1, 1]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('terminates clients that have not answered after the grace period', async () => {
    const { server, target, clock } = setup(new FakeServer());
    const client = server.connect();
    const shed = target.shed();
    await clock.advanceAsync(399);
    expect(client.log).toEqual([GOING_AWAY]);
    await clock.advanceAsync(1);
    await shed;
    expect(client.log).toEqual([GOING_AWAY, ['terminate']]);
  });

  it('does not wait without clients', async () => {
    const { target, clock } = setup(new FakeServer());
    await target.shed();
    await target.settle();
    expect(clock.pendingTimers).toBe(0);
  });

  it('answers new WebSocket requests with 503', async () => {
    const { server, target } = setup(new FakeServer());
    server.handleUpgrade('early');
    await target.shed();
    const socket = new PassThrough().setEncoding('utf8');
    (server as WebSocketServerLike).handleUpgrade!('late', socket);
    let answer = '';
    for await (const chunk of socket) answer += chunk as string;
    expect(answer).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
    expect(server.upgrades).toEqual(['early']);
  });

  it('closes clients that complete the handshake during the drain, and finally terminates them', async () => {
    const { server, target } = setup(new FakeServer());
    await target.shed();
    const late = server.connect();
    expect(late.log).toEqual([GOING_AWAY]);
    await target.close();
    expect(late.log).toEqual([GOING_AWAY, ['terminate']]);
  });

  it('ignores clients of an unknown type', async () => {
    const server = new FakeServer();
    server.clients.add({}).add({ close: () => undefined });
    const { target } = setup(server);
    await target.shed();
    server.emit('connection', {});
    await target.close();
    expect(target.inFlight()).toEqual([]);
  });

  it('terminates all clients when forced, and can be closed again', async () => {
    const { server, target } = setup(new FakeServer());
    const client = server.connect();
    target.force();
    await target.close();
    await target.close();
    expect(client.log).toEqual([['terminate']]);
  });

  it('works without server events', async () => {
    const clients = new Set<object>();
    const { target } = setup({ clients });
    await expect(target.shed()).resolves.toBeUndefined();
  });
});

describe('WebSocketTarget with socket.io', () => {
  it('closes the engine and leaves the server alone', async () => {
    let closes = 0;
    const engine = { close: () => closes++ };
    const server: WebSocketServerLike = { engine };
    const { target, clock } = setup(server);
    await target.shed();
    expect(closes).toBe(1);
    expect(server).toEqual({ engine });
    expect(clock.pendingTimers).toBe(0);
    await target.close();
  });

  it.each([
    ['no engine yet', {}],
    ['an engine that cannot be closed', { engine: {} }],
    ['clients that are not a Set', { clients: [] }],
  ])('does nothing with %s', async (_what, server) => {
    const { target } = setup(server);
    await target.shed();
    await target.close();
    expect(target.inFlight()).toEqual([]);
  });
});
