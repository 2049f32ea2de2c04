import { AppProcess } from '../../support/app-process.js';
import { POINTS } from './fixtures/plan.js';
import { HealthApp, KeepAlivePoller, PROBES } from './health-app.js';

const { jest } = import.meta;
jest.setTimeout(60_000);
afterEach(() => AppProcess.killAll());

const KINDS = ['express', 'fastify', 'microservice'] as const;
const HTTP = ['express', 'fastify'] as const;
/** Live, ready, startup. */
const BOOTING = [200, 503, 503];
const RUNNING = [200, 200, 200];
const STOPPING = [200, 503, 200];
const CLEAN = { code: 0, signal: null };

describe.each(KINDS)('Probes on a separate port (%s)', (kind) => {
  it('report the state from the boot to the last hook, and are unreachable afterwards', async () => {
    const app = new HealthApp({ kind, ownPort: true, gates: POINTS });

    for (const point of ['onModuleInit', 'onApplicationBootstrap'] as const) {
      await app.at(point);
      expect([point, await app.statuses()]).toEqual([point, BOOTING]);
      app.go();
    }
    await app.process.line(/^ready$/);
    expect(await app.statuses()).toEqual(RUNNING);

    app.process.kill('SIGTERM');
    for (const point of [
      'first-task',
      'last-task',
      'onModuleDestroy',
      'beforeApplicationShutdown',
      'onApplicationShutdown',
    ] as const) {
      await app.at(point);
      expect([point, await app.statuses()]).toEqual([point, STOPPING]);
      app.go();
    }
    expect(await app.process.end()).toEqual(CLEAN);
    await expect(app.ask('live')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('report not ready on SIGTERM before anything else happens', async () => {
    const app = new HealthApp({ kind, ownPort: true, gates: ['first-task'] });
    await app.process.line(/^ready$/);
    const before = app.happened();

    app.process.kill('SIGTERM');
    const { body } = await app.until('ready', ({ status }) => status === 503);

    const { shutdown } = (JSON.parse(body) as { error: Record<string, object> }).error;
    expect(shutdown).toMatchObject({ status: 'down', reason: 'process-terminate (SIGTERM)' });
    await app.at('first-task');
    expect(app.happened()).toEqual([...before, 'first-task']);
    expect((await app.ask('ready')).body).toContain('"phase":"before-service-unbind"');
    app.go();
    expect(await app.process.end()).toEqual(CLEAN);
  });

  it('report a signal during boot at once, before the boot has settled', async () => {
    const app = new HealthApp({ kind, ownPort: true, gates: ['onModuleInit'] });
    await app.at('onModuleInit');
    expect((await app.ask('ready')).body).toContain('"message":"booting"');

    app.process.kill('SIGTERM');
    const { body } = await app.until('ready', (answer) => answer.body.includes('SIGTERM'));

    expect(body).toContain('"phase":"about to begin"');
    expect((await app.ask('live')).status).toBe(200);
    expect(app.happened()).toEqual(['onModuleInit']);
    app.go();
    expect(await app.process.end()).toEqual(CLEAN);
  });

  it('do not delay the exit after a signal with polled keep-alive connections', async () => {
    const app = new HealthApp({ kind, ownPort: true, gates: ['onApplicationShutdown'] });
    await app.process.line(/^ready$/);
    const port = await app.port();
    const pollers = PROBES.map((probe) => new KeepAlivePoller(port, probe));
    await Promise.all(pollers.map((poller) => poller.answered(200, 5)));

    app.process.kill('SIGTERM');
    await app.at('onApplicationShutdown');
    await pollers[1]!.answered(503, 5);
    app.go();

    expect(await app.process.end()).toEqual(CLEAN);
    await Promise.all(pollers.map(({ ended }) => ended));
    expect(pollers.map(({ connections }) => connections)).toEqual([1, 1, 1]);
    const [live, ready, startup] = pollers.map(({ statuses }) => new Set(statuses));
    expect([live, startup]).toEqual([new Set([200]), new Set([200])]);
    expect(ready).toEqual(new Set([200, 503]));
  });

  it('do not keep the process of a closed application alive with polled keep-alive connections', async () => {
    const app = new HealthApp({ kind, ownPort: true });
    await app.process.line(/^ready$/);
    const port = await app.port();
    const pollers = PROBES.map((probe) => new KeepAlivePoller(port, probe));
    await Promise.all(pollers.map((poller) => poller.answered(200, 5)));

    app.process.send('close');

    expect(await app.process.end()).toEqual(CLEAN);
    await Promise.all(pollers.map(({ ended }) => ended));
  });
});

describe('Probes of a job', () => {
  it('do not keep the process alive when the job is done, polled or not', async () => {
    const app = new HealthApp({ kind: 'job', ownPort: true, gates: ['job'] });
    await app.at('job');
    const poller = new KeepAlivePoller(await app.port(), 'live');
    await poller.answered(200, 5);

    app.go();

    await app.process.line(/^job done$/);
    expect(await app.process.end()).toEqual(CLEAN);
    await poller.ended;
  });
});

describe.each(HTTP)('Probes on the port of the application (%s)', (kind) => {
  it('are up when it listens; during the phases readiness is down and liveness stays up', async () => {
    const app = new HealthApp({ kind, ownPort: false, gates: ['first-task', 'last-task'] });
    await app.process.line(/^ready$/);
    expect(await app.statuses()).toEqual(RUNNING);

    app.process.kill('SIGTERM');
    for (const point of ['first-task', 'last-task'] as const) {
      await app.at(point);
      expect([point, await app.statuses()]).toEqual([point, STOPPING]);
      app.go();
    }
    expect(await app.process.end()).toEqual(CLEAN);
    expect(app.process.output).not.toMatch(/Health Check has failed|probe ready is down/);
  });
});
