import { AppProcess } from '../../support/app-process.js';
import { GraphApp } from './graph-app.js';

const { jest } = import.meta;
jest.setTimeout(30_000);
afterEach(() => AppProcess.killAll());

const CLEAN = { code: 0, signal: null };
const LAST_WORDS = /^(slow done|sink stopped|servant stopped|database closed)$/;

describe('a signal to an application with a graph', () => {
  it.each([
    ['express', 'SIGTERM'],
    ['fastify', 'SIGTERM'],
    ['microservice', 'SIGTERM'],
    ['context', 'SIGTERM'],
    ['context', 'SIGINT'],
  ] as const)(
    '(%s, %s) waits for a reaction, handles every event up to the stop tag, shuts down every node, and exits with 0',
    async (kind, signal) => {
      const app = await GraphApp.ready({ kind });
      await app.order('slow');
      app.process.kill(signal);

      expect(await app.process.end()).toEqual(CLEAN);
      const { sent, handled, afterClose, status } = app.counts();
      expect(sent).toBeGreaterThanOrEqual(20);
      expect([handled, afterClose, status]).toEqual([sent, 0, 'stopped']);
      const [first, ...rest] = app.process.lines(LAST_WORDS);
      expect([first, rest.sort()]).toEqual(['slow done', ['database closed', 'servant stopped', 'sink stopped']]);
      expect(app.process.lines(LAST_WORDS).at(-1)).toBe('database closed');
      expect(app.process.lines(/the graph stopped at /)).toHaveLength(1);
    },
  );

  it.each(['express', 'context'] as const)(
    '(%s) names a reaction that never settles, and exits anyway',
    async (kind) => {
      const app = await GraphApp.ready({ kind, stopTimeoutMs: 300 });
      await app.order('hang');
      const began = Date.now();
      app.process.kill('SIGTERM');

      expect(await app.process.end()).toEqual({ code: 1, signal: null });
      expect(Date.now() - began).toBeLessThan(5_000);
      expect(app.process.output).toMatch(/had not stopped after 300 ms: waiting for servant\.obey\(\)/);
      expect(app.process.lines(LAST_WORDS)).toEqual(['sink stopped', 'servant stopped', 'database closed']);
      expect(app.counts().status).toBe('forced');
    },
  );

  it.each(['fastify', 'microservice'] as const)(
    '(%s) keeps the graph from starting when it arrives during the boot',
    async (kind) => {
      const app = new GraphApp({ kind, gates: ['boot'] });
      await app.process.line(/^at:boot$/);
      app.process.kill('SIGTERM');
      await app.process.line(/SIGTERM.*during boot/);
      app.process.send('go');

      expect(await app.process.end()).toEqual(CLEAN);
      expect(app.process.lines(/^(source started|sink stopped)$/)).toEqual([]);
      expect(app.counts().status).toBe('ready');
    },
  );
});

describe('the end of a graph', () => {
  it.each(['microservice', 'context'] as const)('(%s) exits with the code of a failing node', async (kind) => {
    const app = await GraphApp.ready({ kind });
    await app.order('fail');

    expect(await app.process.end()).toEqual({ code: 42, signal: null });
    expect(app.process.output).toMatch(/shutdown started: dataflow-ended \(forced: Node "servant" stopped the graph/);
    expect(app.process.lines(LAST_WORDS)).toEqual(['sink stopped', 'servant stopped', 'database closed']);
  });

  it('exits with 1 and logs the error when a reaction throws', async () => {
    const app = await GraphApp.ready({ kind: 'express', owned: false });
    await app.order('throw');

    expect(await app.process.end()).toEqual({ code: 1, signal: null });
    expect(app.process.output).toMatch(/servant\.obey\(\) failed .*: no more tea[\s\S]*at Servant\.obey/);
  });

  it('ends the process with exit: always', async () => {
    const app = await GraphApp.ready({ kind: 'context', exit: 'always' });
    await app.order('stop');

    expect(await app.process.end()).toEqual(CLEAN);
    expect(app.process.output).toContain('shutdown started: dataflow-ended (stopped)');
  });
});

describe('a graph behind HTTP', () => {
  it('(express) handles input of a request that is in flight at SIGTERM', async () => {
    const app = await GraphApp.ready({ kind: 'express' });
    const reply = app.ask('/order');
    await app.process.line(/^at:request$/);
    app.process.kill('SIGTERM');
    await app.process.line(/shutdown started/);
    app.process.send('go');

    expect(await reply).toEqual({ status: 200, body: '{"accepted":true}' });
    expect(await app.process.end()).toEqual(CLEAN);
    expect(app.process.lines(/^servant /)).toEqual(['servant got tea', 'servant stopped']);
  });

  it('(fastify) fails readiness when shutdown begins, while it still runs', async () => {
    const app = await GraphApp.ready({ kind: 'fastify', gates: ['announce'] });
    expect(await app.ask('/ready')).toMatchObject({ status: 200 });
    app.process.kill('SIGTERM');
    await app.process.line(/^at:announce$/);

    const { status, body } = await app.ask('/ready');
    expect(status).toBe(503);
    expect(JSON.parse(body)).toMatchObject({ error: { dataflow: { status: 'down', state: 'running' } } });
    app.process.send('go');
    expect(await app.process.end()).toEqual(CLEAN);
  });
});
