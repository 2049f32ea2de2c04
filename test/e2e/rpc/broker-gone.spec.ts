import { type Broker, installBrokers, startNats, startRedis } from '../../support/brokers.js';
import type { Plan } from './fixtures/plan.js';
import { beginDrain, cleanUp, clientOf, launch } from './rpc-app.js';

const { jest } = import.meta;
// Each test starts several processes.
jest.setTimeout(60_000);

// The brokers may have to be installed.
beforeAll(() => installBrokers(), 300_000);

let broker: Broker | undefined;
afterEach(async () => {
  await cleanUp();
  await broker?.stop();
});

/** It takes about a second. The drain's own limit is far longer. */
const LIMIT_MS = 8_000;
const drain = { maxWaitMs: 25_000 };
// Without reconnects, a Redis application with nothing else to do ends on its own.
const RETRY = { retryAttempts: 100, retryDelay: 20_000 };

const start = async (target: Pick<Plan, 'transport' | 'kind'>): Promise<Plan> => {
  broker = await (target.transport === 'nats' ? startNats() : startRedis());
  const options = target.transport === 'redis' ? RETRY : {};
  return { subject: 'roost', ...target, brokerPort: broker.port, drain, options };
};

describe.each([
  { transport: 'nats', kind: 'standalone' },
  { transport: 'nats', kind: 'hybrid' },
  { transport: 'redis', kind: 'standalone' },
  { transport: 'redis', kind: 'hybrid' },
] as const)('$transport, $kind: broker lost before SIGTERM', (target) => {
  it('exits with 0 and runs the hooks within a second after the broker was killed', async () => {
    const app = await launch(await start(target));
    await broker!.kill();
    const from = Date.now();
    app.kill('SIGTERM');
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(Date.now() - from).toBeLessThan(LIMIT_MS);
    expect(app.lines(/^resource closed$/)).toHaveLength(1);
  });

  it('does the same with a warning when the broker is frozen', async () => {
    const app = await launch(await start(target));
    await broker!.freeze();
    const from = Date.now();
    app.kill('SIGTERM');
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(Date.now() - from).toBeLessThan(LIMIT_MS);
    expect(app.output).toMatch(/WARN \[Drain\] Server(Nats|Redis) did not stop accepting messages within 1 s/);
    expect(app.lines(/^resource closed$/)).toHaveLength(1);
  });

  it('finishes an in-flight handler with its resource open when the broker is frozen, and warns about the lost reply', async () => {
    const plan = await start(target);
    const app = await launch(plan);
    const client = await clientOf(app, plan);
    const forget = client.begin('slow', 1);
    await app.line(/^at:slow-1$/);
    // Nest's clients do not handle the loss of a broker well.
    forget();
    await client.close();
    await broker!.freeze();
    await beginDrain(app);
    app.send('go slow-1');
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(app.output).toMatch(/Server(Nats|Redis) did not (send|confirm) its replies within 1 s/);
    expect(app.output).toMatch(/all requests have been answered: 1 since startup/);
  });
});

it('redis without reconnects: warns that the transport cannot be closed and exits with 0', async () => {
  const app = await launch({ ...(await start({ transport: 'redis', kind: 'hybrid' })), options: {} });
  await broker!.kill();
  await app.line(/Disconnected from Redis/);
  app.kill('SIGTERM');
  expect(await app.end()).toEqual({ code: 0, signal: null });
  expect(app.output).toMatch(/WARN \[Drain\] ServerRedis could not be closed: Connection is closed/);
  expect(app.lines(/^resource closed$/)).toHaveLength(1);
});
