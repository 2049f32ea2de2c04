import type { Plan } from './fixtures/plan.js';
import { cleanUp, closeOf, WsApp } from './ws-app.js';

const { jest } = import.meta;
// Each test starts a process.
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
  it('sends close code 1001 to its clients at the start of the drain, and the process exits with code 0', async () => {
    const app = await WsApp.launch(target);
    const clients = [await app.connect(), await app.connect()];
    const closed = clients.map(closeOf);
    const held = await app.hold();
    await app.beginDrain();
    // A request is in flight, so the close is not a side effect of the exit.
    expect(await Promise.all(closed)).toMatchObject([{ code: 1001 }, { code: 1001 }]);
    expect(await held.release()).toMatchObject({ status: 200, body: 'held' });
    expect(await app.process.end()).toEqual(CLEAN);
    expect(app.process.output).not.toMatch(/WARN|ERROR/);
  });

  it('exits although a connection is still open', async () => {
    const app = await WsApp.launch(target);
    const closed = closeOf(await app.connect());
    app.process.kill('SIGTERM');
    expect(await closed).toMatchObject({ code: 1001 });
    expect(await app.process.end()).toEqual(CLEAN);
  });

  it('terminates a client that never answers after webSocketGraceMs', async () => {
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

  it('refuses a new client while a request is in flight', async () => {
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
