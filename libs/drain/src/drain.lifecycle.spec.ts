import { Body, Controller, Get, type INestApplication, Post } from '@nestjs/common';
import { DiscoveryService, type HttpAdapterHost, type ModulesContainer } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { WsAdapter } from '@nestjs/platform-ws';
import { Test } from '@nestjs/testing';
import { WebSocketGateway } from '@nestjs/websockets';
import { type Deferred, deferred } from '@roost/kernel';
import { RecordingLogger } from '@roost/kernel/testing';
import { CoordinatedShutdown } from '@roost/shutdown';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Subject } from 'rxjs';
import { WebSocket } from 'ws';
import { Drain } from './core/index.js';
import { portOf } from './core/http/raw-client.fixture.js';
import { listening, TestServers } from './core/http/test-servers.fixture.js';
import { until } from './core/until.fixture.js';
import { DrainTargetExplorer } from './drain-target.explorer.js';
import { DrainLifecycle } from './drain.lifecycle.js';
import { DrainService } from './index.js';
import { FakeServer } from './rpc/fake-server.fixture.js';
import { ADAPTERS, Apps, connectTo, get, rootModule, serverOf } from './nest-app.fixture.js';

const { jest } = import.meta;
jest.setTimeout(30_000);
const apps = new Apps();
const servers = new TestServers();
afterEach(async () => {
  await apps.closeAll();
  await servers.closeAll();
});

/** @param gate promise that handlers await before they answer */
const ordersApp = (gate: Deferred<void>) => {
  @Controller('orders')
  class Orders {
    @Get()
    async list(): Promise<string> {
      await gate.promise;
      return 'all orders';
    }

    @Post()
    create(@Body() body: object): string {
      return JSON.stringify(body);
    }

    @Get('broken')
    broken(): never {
      throw new Error('broken');
    }
  }
  return { controllers: [Orders] };
};

describe.each(ADAPTERS)('an application on %s', (_, adapter) => {
  const start = async () => {
    const gate = deferred();
    const app = await apps.listening(ordersApp(gate), adapter());
    const drain = app.get(DrainService);
    return { app, gate, drain, shutdown: app.get(CoordinatedShutdown) };
  };

  it('finishes the in-flight request, refuses others, and then closes', async () => {
    const { app, gate, drain, shutdown } = await start();
    const client = await connectTo(app);
    client.request('GET /orders?page=2');
    await until(() => drain.snapshot().inFlight === 1);
    expect(drain.snapshot().oldest?.name).toBe('GET /orders');
    const run = shutdown.run();
    await until(() => drain.signal.aborted);

    expect(await get(app, '/orders')).toMatch(/^HTTP\/1\.1 503[^]*Retry-After: 5/);
    expect(serverOf(app).listening).toBe(true);
    gate.resolve();

    expect(await client.untilClosed()).toMatch(/200 OK[^]*all orders$/);
    expect((await run).status).toBe('completed');
    expect(drain.snapshot()).toMatchObject({ inFlight: 0, admitted: 1, shed: 1, forced: 0 });
    expect(serverOf(app).listening).toBe(false);
  });

  it('counts down after a handler error, an invalid JSON body and an unknown route', async () => {
    const { app, drain } = await start();
    expect(await get(app, '/orders/broken')).toContain('500');
    expect(await get(app, '/nowhere')).toContain('404');
    const client = await connectTo(app);
    client.request('POST /orders', 'Content-Type: application/json', 'Content-Length: 3').send('{a}');
    expect(await client.untilReceived('\r\n\r\n')).toContain('400');

    await until(() => drain.snapshot().inFlight === 0);
    expect(drain.snapshot().admitted).toBe(3);
  });

  it('names and cuts off stuck requests', async () => {
    const app = await apps.listening({ ...ordersApp(deferred()), drain: { maxWaitMs: 50 } }, adapter());
    const client = await connectTo(app);
    client.request('GET /orders');
    await until(() => app.get(DrainService).snapshot().inFlight === 1);

    const report = await app.get(CoordinatedShutdown).run();

    expect(report.status).toBe('failed');
    expect(JSON.stringify(report)).toContain('GET /orders (');
    await client.untilClosed();
    expect(client.received).toBe('');
  });

  it('leaves nothing behind in app.close()', async () => {
    const { app, drain, gate } = await start();
    gate.resolve();
    const idle = await connectTo(app);
    await get(app, '/orders');

    await app.close();

    await idle.untilClosed();
    expect(drain.isDraining).toBe(true);
  });

  it('works the same in a testing module', async () => {
    const gate = deferred();
    const testing = await Test.createTestingModule({ imports: [rootModule(ordersApp(gate))] }).compile();
    const app = apps.track(testing.createNestApplication<INestApplication>(adapter(), { logger: false }));
    await app.listen(0, '127.0.0.1');
    const client = await connectTo(app);
    client.request('GET /orders');
    await until(() => app.get(DrainService).snapshot().inFlight === 1);
    const run = app.get(CoordinatedShutdown).run();
    await until(() => app.get(DrainService).signal.aborted);
    expect(await get(app, '/orders')).toContain('503');
    gate.resolve();

    expect(await client.untilClosed()).toContain('all orders');
    expect((await run).status).toBe('completed');
  });
});

describe('servers that Nest did not create', () => {
  it('are drained with the others when they are attached', async () => {
    const app = await apps.listening(ordersApp(deferred()));
    const server = servers.track(createServer(servers.keep));
    app.get(DrainService).attach(server);
    app.get(DrainService).attach(server);
    await listening(server);
    const client = await servers.client(server);
    client.request('GET /own');
    const { response } = await servers.exchange('/own');
    expect(app.get(DrainService).snapshot().inFlight).toBe(1);
    const run = app.get(CoordinatedShutdown).run();
    await until(() => app.get(DrainService).signal.aborted);
    response.end('own answer');

    expect(await client.untilClosed()).toContain('own answer');
    await run;
    expect(server.listening).toBe(false);
  });
});

describe('Fastify servers on localhost', () => {
  it('are all drained, although Fastify creates one for each address', async () => {
    const app = await apps.http(ordersApp(deferred()), new FastifyAdapter());
    const attach = jest.spyOn(app.get(Drain), 'attach');
    await app.listen(0, 'localhost');
    const fastify = app.getHttpAdapter().getInstance() as { addresses(): unknown[] };

    // Machines without IPv6 have only one.
    const attached = new Set(attach.mock.calls.map(([server]) => server));
    expect(attached.size).toBe(fastify.addresses().length);
  });
});

describe('WebSocket gateways', () => {
  it.each(ADAPTERS)('on %s: close their clients and refuse new ones', async (_, adapter) => {
    @WebSocketGateway()
    class Chat {}
    const gate = deferred();
    const metadata = { ...ordersApp(gate), providers: [Chat] };
    const app = await apps.listening(metadata, adapter(), (app) => app.useWebSocketAdapter(new WsAdapter(app)));
    const address = `ws://127.0.0.1:${portOf(serverOf(app))}`;
    const socket = new WebSocket(address);
    await once(socket, 'open');
    const inFlight = get(app, '/orders');
    await until(() => app.get(DrainService).snapshot().inFlight === 1);
    const closed = once(socket, 'close');
    const run = app.get(CoordinatedShutdown).run();

    expect((await closed)[0]).toBe(1001);
    const [error] = (await once(new WebSocket(address), 'error')) as [Error];
    expect(error.message).toContain('503');
    gate.resolve();
    expect(await inFlight).toContain('all orders');
    expect((await run).status).toBe('completed');
  });

  it('are found on an adapter without init()', async () => {
    @WebSocketGateway()
    class Chat {}
    const adapter = Object.assign(new ExpressAdapter(), { init: undefined }) as unknown as ExpressAdapter;
    const added = jest.spyOn(Drain.prototype, 'addTarget');
    await apps.listening({ providers: [Chat] }, adapter, (app) => app.useWebSocketAdapter(new WsAdapter(app)));
    const kinds = added.mock.calls.map(([target]) => target.constructor.name);
    added.mockRestore();

    expect(kinds.sort()).toEqual(['HttpTarget', 'WebSocketTarget']);
  });
});

describe('transports', () => {
  const setup = () => {
    const logger = new RecordingLogger();
    const drain = new Drain({ logger });
    const added = jest.spyOn(drain, 'addTarget');
    const registry = new Subject<object>();
    const modules = { getRpcTargetRegistry: () => registry } as unknown as ModulesContainer;
    const shutdown = new CoordinatedShutdown({ logger: new RecordingLogger(), signals: [] });
    const host = { httpAdapter: undefined, init$: new Subject() } as unknown as HttpAdapterHost;
    const discovery = { getProviders: () => [] } as unknown as DiscoveryService;
    const explorer = new DrainTargetExplorer(drain, discovery, host, modules);
    new DrainLifecycle(drain, explorer, shutdown).onModuleInit();
    return { logger, added, registry };
  };

  it('cause a warning with their name when they cannot be counted', () => {
    const { logger, added, registry } = setup();
    class HomeMade {}
    registry.next(new HomeMade());

    expect(logger.of('warn')).toEqual([
      'warn: the transport HomeMade does not extend Server from @nestjs/microservices, so its in-flight handlers cannot be ' +
        'counted and the drain does not wait for them.',
    ]);
    expect(added).not.toHaveBeenCalled();
  });

  it('are left alone when they drain themselves', () => {
    const { logger, added, registry } = setup();
    registry.next({ transportId: 4 });

    expect(logger.lines).toEqual([]);
    expect(added).not.toHaveBeenCalled();
  });

  it('are drained when they can be counted', () => {
    const { added, registry } = setup();
    registry.next(new FakeServer());

    expect(added).toHaveBeenCalledTimes(1);
  });
});
