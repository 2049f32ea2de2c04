import { Agent, createServer, get } from 'node:http';
import { type AddressInfo, connect, type Server } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { type INestApplicationContext, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { deferred } from '@roost/kernel';
import { RecordingLogger } from '@roost/kernel/testing';
import { CoordinatedShutdown, enableCoordinatedShutdown, Phase } from '@roost/shutdown';
import { ADAPTERS, type AppMetadata, Apps, ask, duringPhase, LOOPBACK, statuses } from './health-app.fixture.js';
import { HealthError, HealthModule, ProbePortError } from './index.js';
import { ProbeServer } from './probe-server.js';
import type { Probes } from './probes.js';

const apps = new Apps();
afterEach(() => apps.closeAll());

const onPort = (options: Parameters<typeof HealthModule.forRoot>[0] = {}) =>
  HealthModule.forRoot({ port: 0, host: LOOPBACK, ...options });

/** A port that is already in use. */
const takenPort = async (): Promise<{ port: number; free: () => void }> => {
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  return { port: (server.address() as AddressInfo).port, free: () => void server.close() };
};

type Start = (metadata: AppMetadata) => Promise<INestApplicationContext>;
const HTTP = ADAPTERS.map(([name, create]): [string, Start] => [
  name,
  (metadata) => apps.listening(metadata, create()),
]);
const KINDS: [string, Start][] = [
  ...HTTP,
  [
    'a microservice',
    async (metadata) => {
      const app = await apps.microservice(metadata);
      await app.listen();
      return app;
    },
  ],
  ['an application context', (metadata) => apps.context(metadata)],
];

describe.each(KINDS)('Probes on a separate port, in %s', (_, start) => {
  it('are live, but neither ready nor started, during the slow start of another module', async () => {
    const end = deferred();
    const reached = deferred();
    const hook = async () => {
      reached.resolve();
      await end.promise;
    };
    @Injectable()
    class Slow {
      onModuleInit = hook;
    }
    @Module({ providers: [Slow] })
    class Feature {}

    const started = start({ imports: [onPort(), Feature] });
    await reached.promise;
    expect(await statuses(apps.probePort)).toEqual([200, 503, 503]);

    end.resolve();
    await started;
    expect(await statuses(apps.probePort)).toEqual([200, 200, 200]);
  });
});

describe.each([
  ...KINDS.map(([kind, start]) => ({ kind, start, setup: 'enableCoordinatedShutdown' })),
  // Other kinds need more than the import for the shutdown to start before the first hook.
  ...HTTP.map(([kind, start]) => ({ kind, start, setup: 'only the import' })),
])('Probes on a separate port, in $kind with $setup', ({ start, setup }) => {
  it('are reachable during phases and hooks, until the end of the last hook', async () => {
    const seen: Record<string, unknown> = {};
    const look = (name: string) => async () => void (seen[name] = await statuses(apps.probePort));
    @Injectable()
    class Looking implements OnApplicationShutdown {
      onModuleDestroy = look('onModuleDestroy');
      beforeApplicationShutdown = look('beforeApplicationShutdown');
      onApplicationShutdown = look('onApplicationShutdown');
    }
    @Injectable()
    class Last implements OnApplicationShutdown {
      onApplicationShutdown = look('onApplicationShutdown of a global module before ours');
    }
    const app = await start({
      imports: [{ module: class Global {}, global: true, providers: [Last] }, onPort()],
      providers: [Looking],
    });
    if (setup === 'enableCoordinatedShutdown') enableCoordinatedShutdown(app);
    duringPhase(app, Phase.ServiceRequestsDone, look('phase'));
    const port = apps.probePort;

    await app.close();
    await app.get(CoordinatedShutdown).terminated;

    const expected = [200, 503, 200];
    expect(seen).toEqual({
      phase: expected,
      onModuleDestroy: expected,
      beforeApplicationShutdown: expected,
      onApplicationShutdown: expected,
      'onApplicationShutdown of a global module before ours': expected,
    });
    await expect(ask(port, '/health/live')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('ProbeServer', () => {
  const listening = async (options?: Parameters<typeof onPort>[0]): Promise<number> => {
    await apps.context({ imports: [onPort(options)] });
    return apps.probePort;
  };

  it('logs its address, and listens only there', async () => {
    const port = await listening({ path: 'internal/probes' });

    expect(apps.logger.of('Health')).toEqual([
      `log [Health] probes on http://127.0.0.1:${port}/internal/probes/{live,ready,startup}`,
    ]);
    expect(await statuses(port, '/internal/probes')).toEqual([200, 200, 200]);
    const other = connect(port, '127.0.0.2');
    const refused = await new Promise((resolve) => {
      other.once('error', resolve).once('connect', () => resolve('connected'));
    });
    other.destroy();
    expect(refused).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('listens on every address by default', async () => {
    await apps.context({ imports: [HealthModule.forRoot({ port: 0 })] });

    expect(apps.logger.of('Health')[0]).toMatch(/http:\/\/(\[::\]|0\.0\.0\.0):\d+\//);
    expect(await statuses(apps.probePort)).toEqual([200, 200, 200]);
  });

  it('answers GET and HEAD alike, even with a query', async () => {
    const port = await listening({ indicators: { startup: [() => ({ it: { status: 'down' as const } })] } });

    for (const [path, status] of [
      ['/health/live', 200],
      ['/health/ready?verbose=1', 200],
      ['/health/startup', 503],
    ] as const) {
      const answer = await ask(port, path);
      const head = await ask(port, path, { method: 'HEAD' });
      expect([answer.status, head.status]).toEqual([status, status]);
      expect(head.text).toBe('');
      const { date: _, ...headers } = answer.headers;
      expect(head.headers).toMatchObject(headers);
      expect(headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'content-length': String(answer.text.length),
        'cache-control': 'no-store',
      });
    }
  });

  it('answers 404 or 405 to all other requests', async () => {
    const port = await listening();

    for (const path of [
      '/',
      '/health',
      '/health/live/',
      '/health/other',
      '/live',
      '/HEALTH/live',
      '/health/../health/live',
    ]) {
      expect(await ask(port, path)).toMatchObject({ status: 404, body: { message: 'Not Found' } });
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const answer = await ask(port, '/health/live', { method });
      expect(answer).toMatchObject({ status: 405, body: { message: 'Method Not Allowed' } });
      expect(answer.headers['allow']).toBe('GET, HEAD');
    }
  });

  it('answers 500 without details when a probe itself fails, and logs the error', async () => {
    const shutdown = new CoordinatedShutdown({ logger: new RecordingLogger() });
    const probes = { answer: () => Promise.reject(new Error('secret')) } as unknown as Probes;
    await apps.context({});
    const server = new ProbeServer(probes, shutdown, 'health', 0, LOOPBACK);
    await server.onModuleInit();

    const answer = await ask(apps.probePort, '/health/live');
    await shutdown.run();
    await shutdown.terminated;

    expect(answer).toMatchObject({ status: 500, body: { message: 'Internal Server Error' } });
    expect(answer.text).not.toContain('secret');
    expect(apps.logger.of('Health').filter((line) => line.startsWith('error'))).toEqual([
      expect.stringContaining('secret'),
    ]);
  });

  it('fails the boot when its port is in use, and names the port', async () => {
    const { port, free } = await takenPort();
    const app = await apps.http({ imports: [onPort({ port })] });

    const error: unknown = await app.init().catch((reason: unknown) => reason);
    free();

    expect(error).toBeInstanceOf(ProbePortError);
    expect(error).toBeInstanceOf(HealthError);
    expect(error).toMatchObject({
      code: 'HEALTH_PORT',
      name: 'ProbePortError',
      port,
      cause: { code: 'EADDRINUSE' },
      message: expect.stringMatching(`cannot listen on port ${port} .*EADDRINUSE.*Choose another`) as string,
    });
  });

  it('fails the boot when its address does not belong to the machine', async () => {
    const app = await apps.http({ imports: [onPort({ host: '192.0.2.1' })] });

    await expect(app.init()).rejects.toMatchObject({ code: 'HEALTH_PORT' });
  });

  it('listens once in a microservice that calls init() and listen()', async () => {
    const app = await apps.microservice({ imports: [onPort()] });
    await app.init();
    await app.listen();

    expect(await statuses(apps.probePort)).toEqual([200, 200, 200]);
    expect(apps.logger.of('Health')).toHaveLength(1);
  });

  it('closes all connections with the application and frees its port', async () => {
    const { port, free } = await takenPort();
    free();
    const app = await apps.context({ imports: [onPort({ port })] });
    const silent = connect(port, LOOPBACK);
    const halfSent = connect(port, LOOPBACK, () => halfSent.write('GET /health/live HTTP/1.1\r\n'));
    const closed = [silent, halfSent].map(
      (socket) => new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve)),
    );
    const agent = new Agent({ keepAlive: true });
    await new Promise<void>((resolve, reject) => {
      get({ host: LOOPBACK, port, path: '/health/ready', agent }, (response) => {
        closed.push(new Promise((gone) => response.socket.once('close', gone)));
        response.resume().on('end', resolve);
      }).on('error', reject);
    });

    await app.close();
    const allClosed = await Promise.race([Promise.all(closed), after(3_000, 'some are open', { ref: false })]);
    for (const connection of [silent, halfSent, agent]) connection.destroy();
    expect(allClosed).not.toBe('some are open');

    await apps.context({ imports: [onPort({ port })] });
    expect(await statuses(port)).toEqual([200, 200, 200]);
  });
});
