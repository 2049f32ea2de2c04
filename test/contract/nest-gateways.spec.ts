import { once } from 'node:events';
import { Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { override } from '@roost/kernel';
import { WsAdapter } from '@nestjs/platform-ws';
import { WebSocketGateway } from '@nestjs/websockets';
import { WebSocket, type WebSocketServer } from 'ws';
import { createHttp, Steps } from './apps.js';

interface Hooked {
  afterInit?: (server: unknown) => void;
}

/** For `@WebSocketGateway()`, port 0 means the port of the application. */
const freePort = async (): Promise<number> => {
  const probe = new HttpServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
};

const setup = async (port?: number) => {
  @WebSocketGateway(...(port === undefined ? [] : [port]))
  class Gateway {}
  const steps = new Steps();
  const app = await createHttp({ providers: [Gateway, steps.provider] });
  app.useWebSocketAdapter(new WsAdapter(app));
  const servers: WebSocketServer[] = [];
  override(
    app.get<Hooked>(Gateway),
    'afterInit',
    'a spec',
    (afterInit) => (server) => {
      steps.taken.push('afterInit');
      servers.push(server as WebSocketServer);
      afterInit(server);
    },
    { fallback: () => undefined },
  );
  await app.listen(0, '127.0.0.1');
  return { Gateway, app, steps, server: servers[0]! };
};

describe('A gateway', () => {
  it('is marked by metadata, and receives its server in afterInit before the first hook', async () => {
    const { Gateway, app, steps, server } = await setup();
    expect(Reflect.hasMetadata('websockets:is_gateway', Gateway)).toBe(true);
    expect(steps.taken).toEqual(['afterInit', 'onModuleInit', 'onApplicationBootstrap']);
    expect(server.clients).toBeInstanceOf(Set);
    expect(typeof server.handleUpgrade).toBe('function');
    await app.close();
  });

  it('on a separate port has a separate server', async () => {
    const { app, server } = await setup(await freePort());
    const { _server } = server as unknown as { _server: unknown };
    expect(_server).toBeInstanceOf(HttpServer);
    expect(_server).not.toBe(app.getHttpServer());
    await app.close();
  });

  it('calls the replaced handleUpgrade() of its server for every handshake', async () => {
    const { app, server } = await setup();
    const { port } = (app.getHttpServer() as HttpServer).address() as AddressInfo;
    override(server, 'handleUpgrade', 'a spec', () => (_request, socket) => {
      socket.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    });
    const client = new WebSocket(`ws://127.0.0.1:${port}`);
    const [error] = (await once(client, 'error')) as [Error];
    expect(error.message).toContain('503');
    await app.close();
  });

  it('stores its object for a connection on the socket, under a symbol', async () => {
    const { app, server } = await setup();
    const http = app.getHttpServer() as HttpServer;
    const { port } = http.address() as AddressInfo;
    const upgraded = once(http, 'upgrade') as Promise<[unknown, Duplex]>;
    const client = new WebSocket(`ws://127.0.0.1:${port}`);
    const closed = once(client, 'close');
    await once(client, 'open');
    const [, socket] = await upgraded;
    const key = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'websocket')!;
    expect(server.clients.has((socket as unknown as Record<symbol, WebSocket>)[key]!)).toBe(true);
    client.close();
    await closed;
    await app.close();
  });
});
