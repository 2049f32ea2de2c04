import type { Plan } from './fixtures/plan.js';
import { cleanUp, closeOf, WsApp } from './ws-app.js';

const { jest } = import.meta;
// A process is started in each test.
jest.setTimeout(60_000);

afterEach(() => cleanUp());

const CLEAN = { code: 0, signal: null };

const TARGETS: Pick<Plan, 'platform' | 'server'>[] = [
  { platform: 'express', server: 'ws' },
  { platform: 'fastify', server: 'ws' },
  { platform: 'express', server: 'ws-port' },
  { platform: 'fastify', server: 'ws-port' },
  { platform: 'express', server: 'ws-port-path' },
  { platform: 'express', server: 'raw' },
  { platform: 'fastify', server: 'raw' },
  { platform: 'express', server: 'hand-written' },
  { platform: 'fastify', server: 'hand-written' },
];

describe.each(TARGETS)('$server on $platform', (target) => {
  it('its clients get close code 1001 at the start of the drain, and the process exits with code 0', async () => {
    const app = await WsApp.launch(target);
    const clients = [await app.connect(), await app.connect()];
    const closed = clients.map(closeOf);
    const held = await app.hold();
    await app.beginDrain();
    // While a request is in flight: not only because everything is closed at the end.
    expect(await Promise.all(closed)).toMatchObject([{ code: 1001 }, { code: 1001 }]);
    expect(await held.release()).toMatchObject({ status: 200, body: 'held' });
    expect(await app.process.end()).toEqual(CLEAN);
    expect(app.process.output).not.toMatch(/WARN|ERROR/);
  });

  it('a connection alone does not keep the process', async () => {
    const app = await WsApp.launch(target);
    const closed = closeOf(await app.connect());
    app.process.kill('SIGTERM');
    expect(await closed).toMatchObject({ code: 1001 });
    expect(await app.process.end()).toEqual(CLEAN);
  });

  it('a client that never answers is cut off after webSocketGraceMs', async () => {
    const app = await WsApp.launch({ ...target, drain: { webSocketGraceMs: 300, maxWaitMs: 12_000 } });
    const silent = await app.connectSilent();
    const from = Date.now();
    app.process.kill('SIGTERM');
    expect(await app.process.end()).toEqual(CLEAN);
    const tookMs = Date.now() - from;
    expect(tookMs).toBeGreaterThanOrEqual(290);
    expect(tookMs).toBeLessThan(8_000);
    silent.destroy();
  });

  it('a new client is told to go elsewhere while a request is in flight', async () => {
    const app = await WsApp.launch(target);
    expect(await app.refusal()).toBeUndefined();
    const held = await app.hold();
    await app.beginDrain();
    expect(await app.refusal()).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5', connection: 'close' },
      body: '{"statusCode":503,"message":"Service Unavailable"}',
    });
    expect(await held.release()).toMatchObject({ status: 200 });
    expect(await app.process.end()).toEqual(CLEAN);
  });
});
