import { once } from 'node:events';
import { type AddressInfo, connect, type Server as TcpServer, type Socket } from 'node:net';
import { Controller, type INestMicroservice } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { EventPattern, MessagePattern, ServerNats, ServerRedis, Transport } from '@nestjs/microservices';
import { override } from '@roost/kernel';
import { createHttp, createMicroservice, TCP } from './apps.js';

const { jest } = import.meta;

@Controller()
class Echo {
  @MessagePattern('echo')
  async echo(text: string): Promise<string> {
    await new Promise(setImmediate);
    return text;
  }

  @MessagePattern('fail')
  fail(): never {
    throw new Error('no');
  }

  @EventPattern('note')
  note(_text: string): void {}
}

type StartHook = (transport: unknown, context: unknown, done: () => Promise<unknown>) => unknown;

/** The part of a transport server that Roost relies on. */
interface RpcServer {
  transportId: unknown;
  onProcessingStartHook: StartHook;
  onProcessingEndHook?: (transport: unknown, context: unknown) => void;
  openSockets: Set<Socket>;
  setOnProcessingStartHook(hook: StartHook): void;
  setOnProcessingEndHook(hook: (transport: unknown, context: unknown) => void): void;
  getHandlerByPattern(pattern: string): ({ isEventHandler?: boolean } & ((...args: unknown[]) => unknown)) | null;
  send(stream$: unknown, respond: (packet: { isDisposed?: boolean }) => unknown): unknown;
  unwrap(): unknown;
  close(): unknown;
}

const setup = async () => {
  const app = await createMicroservice({ controllers: [Echo] });
  const server = app.getTransportServer() as unknown as RpcServer;
  return { app, server };
};

/** A client in Nest's framing, `length#json`. */
async function connectTo(
  app: INestMicroservice,
): Promise<{ socket: Socket; send: (pattern: string) => Promise<string> }> {
  const { port } = app.unwrap<TcpServer>().address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const send = async (pattern: string): Promise<string> => {
    const packet = JSON.stringify({ pattern, data: 'hi', id: '1' });
    socket.write(`${packet.length}#${packet}`);
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    return chunk.toString();
  };
  return { socket, send };
}

describe('A transport server', () => {
  it('calls its processing hooks around each handler', async () => {
    const { app, server } = await setup();
    const calls: string[] = [];
    expect(typeof server.onProcessingStartHook).toBe('function');
    server.setOnProcessingStartHook((_transport, _context, done) => {
      calls.push('start');
      return done();
    });
    server.setOnProcessingEndHook(() => calls.push('end'));
    await app.listen();
    const { socket, send } = await connectTo(app);
    expect(await send('echo')).toContain('"response":"hi"');
    expect(calls).toEqual(['start', 'end']);
    expect(await send('fail')).toContain('"err"');
    expect(calls.slice(0, 3)).toEqual(['start', 'end', 'start']);
    socket.destroy();
    await app.close();
  });

  it('sends each reply with the replaced send(), and marks the last packet', async () => {
    const { app, server } = await setup();
    const last: unknown[] = [];
    override(
      server,
      'send',
      'a spec',
      (send) => (stream$, respond) =>
        send.call(server, stream$, (packet) => {
          last.push(packet.isDisposed === true);
          return respond(packet);
        }),
    );
    await app.listen();
    const { socket, send } = await connectTo(app);
    await send('echo');
    expect(last.at(-1)).toBe(true);
    socket.destroy();
    await app.close();
  });

  it('finds the handler of each message with the replaced getHandlerByPattern()', async () => {
    const { app, server } = await setup();
    await app.listen();
    const { socket, send } = await connectTo(app);
    const asked: unknown[] = [];
    override(server, 'getHandlerByPattern', 'a spec', (find) => (pattern) => {
      const handler = find.call(server, pattern);
      asked.push([pattern, handler?.isEventHandler ?? false]);
      return handler;
    });
    await send('echo');
    expect(asked).toEqual([['echo', false]]);
    expect(server.getHandlerByPattern('note')?.isEventHandler).toBe(true);
    socket.destroy();
    await app.close();
  });

  it('is closed with its replaced close(), which Nest awaits', async () => {
    const { app, server } = await setup();
    await app.listen();
    const steps: string[] = [];
    override(server, 'close', 'a spec', (close) => async () => {
      await close.call(server);
      await new Promise(setImmediate);
      steps.push('closed');
    });
    await app.close();
    expect(steps).toEqual(['closed']);
  });

  it('exposes the open sockets over TCP', async () => {
    const { app, server } = await setup();
    await app.listen();
    const { socket, send } = await connectTo(app);
    await send('echo');
    expect([...server.openSockets].map(({ remotePort }) => remotePort)).toEqual([socket.localPort]);
    socket.destroy();
    await app.close();
  });

  it('is available in the module registry, standalone and connected', async () => {
    const seen: unknown[] = [];
    const watcher = {
      provide: 'watcher',
      useFactory: (modules: ModulesContainer) => {
        modules.getRpcTargetRegistry<RpcServer>().subscribe(({ transportId }) => seen.push(transportId));
      },
      inject: [ModulesContainer],
    };
    const service = await createMicroservice({ providers: [watcher] });
    await service.init();
    const hybrid = await createHttp({ providers: [watcher] });
    hybrid.connectMicroservice(TCP);
    expect(seen).toEqual([Transport.TCP, Transport.TCP]);
    await Promise.all([service.close(), hybrid.close()]);
  });
});

describe('A broker transport', () => {
  it('for NATS stores its subscriptions, and has no client before it listens', () => {
    const server = new ServerNats({});
    expect((server as unknown as { subscriptions: unknown }).subscriptions).toEqual([]);
    expect(server.transportId).toBe(Transport.NATS);
    expect(() => server.unwrap()).toThrow();
  });

  it('for Redis has one client to publish and one to subscribe', async () => {
    const server = new ServerRedis({});
    const clients: unknown[] = [];
    const createRedisClient = () => {
      const client = { on: jest.fn(), connect: () => Promise.resolve(), quit: () => Promise.resolve() };
      clients.push(client);
      return client;
    };
    expect(server.transportId).toBe(Transport.REDIS);
    expect(() => server.unwrap()).toThrow();
    override(server, 'createRedisClient', 'a spec', () => createRedisClient as never);
    await new Promise<void>((resolve) => void server.listen(() => resolve()));
    expect(server.unwrap()).toEqual([clients[1], clients[0]]);
    await server.close();
  });
});
