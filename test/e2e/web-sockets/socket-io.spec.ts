import { io, type Socket } from 'socket.io-client';
import type { Plan } from './fixtures/plan.js';
import { cleanUp, destroyLater, WsApp } from './ws-app.js';

const { jest } = import.meta;
// Each test starts a process.
jest.setTimeout(60_000);

afterEach(() => cleanUp());

const CLEAN = { code: 0, signal: null };
/** With these reasons a client reconnects on its own, but not with `io server disconnect`. */
const LOST = /^transport (close|error)$/;

const open = (app: WsApp, plan: Pick<Plan, 'server'>, transport: 'websocket' | 'polling'): Socket => {
  const namespace = plan.server === 'io-port-namespace' ? 'chat' : '';
  const client = io(`http://127.0.0.1:${app.wsPort}/${namespace}`, { transports: [transport], forceNew: true });
  destroyLater({ destroy: () => client.disconnect() });
  return client;
};

const connect = async (...args: Parameters<typeof open>): Promise<Socket> => {
  const client = open(...args);
  await new Promise((resolve, reject) => client.once('connect', () => resolve(null)).once('connect_error', reject));
  return client;
};

const lost = (client: Socket): Promise<{ reason: string; comesBack: boolean }> =>
  new Promise((resolve) => {
    client.once('disconnect', (reason) => resolve({ reason, comesBack: client.active }));
  });

const targets: Pick<Plan, 'platform' | 'server'>[] = [
  { platform: 'express', server: 'io' },
  { platform: 'fastify', server: 'io' },
  { platform: 'express', server: 'io-port' },
  { platform: 'express', server: 'io-port-namespace' },
];

describe.each(
  targets.flatMap((target) => (['websocket', 'polling'] as const).map((transport) => ({ ...target, transport }))),
)('$server on $platform, $transport', ({ transport, ...target }) => {
  it('closes the transports of its clients at the start of the drain, so that they reconnect elsewhere', async () => {
    const app = await WsApp.launch(target);
    const losses = [await connect(app, target, transport), await connect(app, target, transport)].map(lost);
    const held = await app.hold();
    await app.beginDrain();
    for (const loss of losses) {
      expect(await loss).toEqual({ reason: expect.stringMatching(LOST), comesBack: true });
    }
    expect(await held.release()).toMatchObject({ status: 200, body: 'held' });
    expect(await app.process.end()).toEqual(CLEAN);
    expect(app.process.output).not.toMatch(/WARN|ERROR/);
  });

  it('exits although a client stays connected', async () => {
    const app = await WsApp.launch(target);
    const loss = lost(await connect(app, target, transport));
    app.process.kill('SIGTERM');
    expect(await loss).toEqual({ reason: expect.stringMatching(LOST), comesBack: true });
    expect(await app.process.end()).toEqual(CLEAN);
  });

  it('returns an error to a new client, which retries later', async () => {
    const app = await WsApp.launch(target);
    const held = await app.hold();
    await app.beginDrain();
    const client = open(app, target, transport);
    const refused = await new Promise<boolean>((resolve) => {
      client.once('connect', () => resolve(false)).once('connect_error', () => resolve(true));
    });
    expect({ refused, triesAgain: client.active }).toEqual({ refused: true, triesAgain: true });
    client.disconnect();
    await held.release();
    expect(await app.process.end()).toEqual(CLEAN);
  });
});
