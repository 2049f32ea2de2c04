import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { firstValueFrom, type Observable } from 'rxjs';
import { Meter } from '../../core/index.js';
import { isSettled, until } from '../../core/until.fixture.js';
import { FakeServer } from '../fake-server.fixture.js';
import { NATS, REDIS, TCP } from './rpc-server.js';
import { drainOf } from './transports.js';

const drain = (server: FakeServer, meter = new Meter()) => drainOf(server, meter);

describe('unknown transport', () => {
  it('accepts messages until it is closed', async () => {
    const transport = drain(new FakeServer('custom'));
    expect(transport).toMatchObject({ keepsComing: true, peer: 'broker' });
    await transport.stop();
    await transport.flush();
    expect(transport.unsent()).toEqual([]);
  });
});

describe('TCP transport', () => {
  const withHandlers = () => {
    const server = new FakeServer(TCP);
    server.handlers.set('ask', () => 'answer');
    server.handlers.set(
      'tell',
      Object.assign(() => 'heard', { isEventHandler: true }),
    );
    return server;
  };

  it('refuses requests with an error reply, and counts them', async () => {
    const server = withHandlers();
    const meter = new Meter();
    await drain(server, meter).stop();
    const reply = server.getHandlerByPattern('ask')!() as Observable<unknown>;
    await expect(firstValueFrom(reply)).rejects.toEqual({
      status: 'error',
      message: 'Service Unavailable: this instance is shutting down, retry on another one',
    });
    expect(meter.shed).toBe(1);
  });

  it('keeps handling events, and knows no more patterns than before', async () => {
    const server = withHandlers();
    await drain(server).stop();
    expect(server.getHandlerByPattern('tell')!()).toBe('heard');
    expect(server.getHandlerByPattern('nobody')).toBeNull();
  });

  it('refuses requests to handlers added later', async () => {
    const server = withHandlers();
    const meter = new Meter();
    await drain(server, meter).stop();
    server.handlers.set('late', () => 'answer');
    expect(server.getHandlerByPattern('late')!()).not.toBe('answer');
    expect(meter.shed).toBe(1);
  });

  it('serves requests until it stops', () => {
    const server = withHandlers();
    drain(server);
    expect(server.getHandlerByPattern('ask')!()).toBe('answer');
  });

  it('fails at boot without a method that finds handlers', () => {
    const server = Object.assign(new FakeServer(TCP), { getHandlerByPattern: undefined }) as unknown as FakeServer;
    expect(() => drain(server)).toThrow('DrainModule needs FakeServer.getHandlerByPattern(), which does not exist.');
  });

  it('has nothing to flush without connections', async () => {
    await expect(drain(new FakeServer(TCP)).flush()).resolves.toEqual([]);
  });
});

describe('unsent replies of the TCP transport', () => {
  const PIECE = Buffer.alloc(8 * 1024 * 1024);
  let listener: Server;
  let client: Socket;
  let socket: Socket;

  beforeEach(async () => {
    listener = createServer((accepted) => (socket = accepted));
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    client = createConnection((listener.address() as { port: number }).port, '127.0.0.1').pause();
    await until(() => socket !== undefined && client.readyState === 'open');
  });

  afterEach(async () => {
    client.destroy();
    socket.destroy();
    await new Promise((resolve) => listener.close(resolve));
  });

  const transport = () => drain(Object.assign(new FakeServer(TCP), { openSockets: new Set([socket]) }));

  it('are named and awaited until the caller has read them', async () => {
    expect(transport().unsent()).toEqual([]);
    socket.write(PIECE);
    expect(transport().unsent()).toEqual([`127.0.0.1:${client.localPort}`]);
    const flushed = transport().flush();
    expect(await isSettled(flushed)).toBe(false);
    client.resume();
    await flushed;
    expect(transport().unsent()).toEqual([]);
  });

  it('are awaited on a connection that has already ended', async () => {
    socket.end(PIECE);
    const flushed = transport().flush();
    expect(await isSettled(flushed)).toBe(false);
    client.resume();
    await flushed;
  });

  it('are dropped when the caller has disconnected', async () => {
    socket.on('error', () => undefined).write(PIECE);
    const flushed = transport().flush();
    client.destroy();
    socket.destroy();
    await flushed;
    expect(transport().unsent()).toEqual([]);
  });
});

describe('NATS transport', () => {
  const subscription = (log: string[], name: string, isClosed = false) => ({
    isClosed: () => isClosed,
    drain: () => Promise.resolve(void log.push(`drain ${name}`)),
  });

  it('drains its open subscriptions when it stops', async () => {
    const log: string[] = [];
    const server = new FakeServer(NATS);
    const transport = drain(server);
    Object.assign(server, {
      subscriptions: [subscription(log, 'a'), subscription(log, 'b', true), subscription(log, 'c')],
    });
    expect(transport.keepsComing).toBe(false);
    await transport.stop();
    expect(log).toEqual(['drain a', 'drain c']);
  });

  it('fails when a subscription fails', async () => {
    const failing = { isClosed: () => false, drain: () => Promise.reject(new Error('closed connection')) };
    const server = Object.assign(new FakeServer(NATS), { subscriptions: [failing] });
    await expect(drain(server).stop()).rejects.toThrow('closed connection');
  });

  it('flushes its client', async () => {
    let flushes = 0;
    const server = Object.assign(new FakeServer(NATS), { unwrap: () => ({ flush: () => Promise.resolve(flushes++) }) });
    await drain(server).flush();
    expect(flushes).toBe(1);
  });

  it.each([
    [
      'never listened',
      {
        unwrap: () => {
          throw new Error('Not initialized');
        },
      },
    ],
    ['cannot be unwrapped', {}],
  ])('has nothing to do when it %s', async (_what, more) => {
    const transport = drain(Object.assign(new FakeServer(NATS), more));
    await transport.stop();
    await expect(transport.flush()).resolves.toBeUndefined();
  });
});

describe('Redis transport', () => {
  const setup = (options?: object, status = 'ready') => {
    const log: string[] = [];
    const client = (name: string) => ({
      status,
      options: { autoResubscribe: true },
      unsubscribe: () => Promise.resolve(void log.push(`${name} unsubscribe`)),
      punsubscribe: () => Promise.resolve(void log.push(`${name} punsubscribe`)),
    });
    const clients = [client('publisher'), client('subscriber')] as const;
    const server = Object.assign(new FakeServer(REDIS, options), { unwrap: () => clients });
    return { log, clients, transport: drain(server) };
  };

  it.each([
    ['channels', undefined, 'subscriber unsubscribe'],
    ['channels', { wildcards: false }, 'subscriber unsubscribe'],
    ['patterns', { wildcards: true }, 'subscriber punsubscribe'],
  ])('does not touch the %s of the subscriber, with options %j', async (_what, options, expected) => {
    const { log, transport } = setup(options);
    expect(transport.keepsComing).toBe(false);
    await transport.stop();
    expect(log).toEqual([expected]);
  });

  it('sends no command without a connection, and makes sure that a new connection accepts no messages', async () => {
    const { log, clients, transport } = setup(undefined, 'reconnecting');
    await transport.stop();
    expect(log).toEqual([]);
    expect(clients[1].options.autoResubscribe).toBe(false);
  });

  it('has nothing to do when it never listened', async () => {
    await drain(new FakeServer(REDIS)).stop();
    await expect(drain(new FakeServer(REDIS)).flush()).resolves.toBeUndefined();
  });
});
