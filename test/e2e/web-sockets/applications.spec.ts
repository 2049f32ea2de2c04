import { cleanUp, closeOf, WsApp } from './ws-app.js';

const { jest } = import.meta;
// Each test starts a process.
jest.setTimeout(60_000);

afterEach(() => cleanUp());

const CLEAN = { code: 0, signal: null };

describe.each(['express', 'fastify'] as const)('%s', (platform) => {
  it('without WebSockets: serves a request with an unknown Upgrade header as usual', async () => {
    const app = await WsApp.launch({ platform, server: 'none' });
    const headers = { connection: 'upgrade', upgrade: 'carrier-pigeon' };
    expect(await app.request('/hello', headers)).toMatchObject({ status: 200, body: 'hello' });
    const held = await app.hold();
    await app.beginDrain();
    expect(await app.request('/hello', headers)).toMatchObject({ status: 503 });
    expect(await held.release()).toMatchObject({ status: 200 });
    expect(await app.process.end()).toEqual(CLEAN);
  });

  it('calls the afterInit hook of a gateway, and delivers messages to several gateways on one server', async () => {
    const app = await WsApp.launch({ platform, server: 'ws' });
    await app.process.line(/^gateway has its server$/);
    const client = await app.connect();
    const answered = new Promise<string>((resolve) =>
      client.once('message', (data) => resolve((data as Buffer).toString())),
    );
    client.send(JSON.stringify({ event: 'echo', data: 7 }));
    expect(JSON.parse(await answered)).toEqual({ event: 'echo', data: 7 });
  });

  it('does not wait for an in-flight message handler: its client gets a close frame immediately', async () => {
    const app = await WsApp.launch({ platform, server: 'ws' });
    const client = await app.connect();
    const closed = closeOf(client);
    client.send(JSON.stringify({ event: 'slow' }));
    await app.process.line(/^at:message$/);
    app.process.kill('SIGTERM');
    expect(await closed).toMatchObject({ code: 1001 });
    expect(await app.process.end()).toEqual(CLEAN);
    expect(app.process.lines(/^message handled$/)).toEqual([]);
  });
});

describe('a microservice without HTTP', () => {
  it.each(['ws-port', 'ws-port-path'] as const)('%s: clients of its gateway get close code 1001', async (server) => {
    const app = await WsApp.launch({ platform: 'microservice', server });
    const closed = closeOf(await app.connect());
    app.process.kill('SIGTERM');
    expect(await closed).toMatchObject({ code: 1001 });
    expect(await app.process.end()).toEqual(CLEAN);
  });
});

// Proves that Nest alone does not pass the other tests.
describe('plain Nest', () => {
  it.each(['express', 'fastify'] as const)(
    '%s: cuts off the clients of a gateway without a close frame',
    async (platform) => {
      const app = await WsApp.launch({ platform, server: 'ws', subject: 'stock' });
      const closed = closeOf(await app.connect());
      app.process.kill('SIGTERM');
      expect(await closed).toMatchObject({ code: 1006 });
    },
  );
});
