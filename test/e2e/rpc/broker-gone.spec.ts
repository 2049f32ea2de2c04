import { type Broker, installBrokers, startNats, startRedis } from '../../support/brokers.js';
import type { Plan } from './fixtures/plan.js';
import { beginDrain, cleanUp, clientOf, launch } from './rpc-app.js';

const { jest } = import.meta;
// Several processes are started in each test.
jest.setTimeout(60_000);

// They may have to be installed.
beforeAll(() => installBrokers(), 300_000);

let broker: Broker | undefined;
afterEach(async () => {
  await cleanUp();
  await broker?.stop();
});

/** About a second is what it takes; the drain's own limit is far above. */
const LIMIT_MS = 8_000;
const drain = { maxWaitMs: 25_000 };
// Without attempts to connect again, a Redis application that has nothing else ends by itself.
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
] as const)('$transport, $kind: the broker is gone before SIGTERM', (target) => {
  it('killed: the exit is held for a second at most, hooks run, exit code 0', async () => {
    const app = await launch(await start(target));
    await broker!.kill();
    const from = Date.now();
    app.kill('SIGTERM');
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(Date.now() - from).toBeLessThan(LIMIT_MS);
    expect(app.lines(/^resource closed$/)).toHaveLength(1);
  });

  it('frozen: the same, with a warning', async () => {
    const app = await launch(await start(target));
    await broker!.freeze();
    const from = Date.now();
    app.kill('SIGTERM');
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(Date.now() - from).toBeLessThan(LIMIT_MS);
    expect(app.output).toMatch(/WARN \[Drain\] Server(Nats|Redis) did not stop accepting messages within 1 s/);
    expect(app.lines(/^resource closed$/)).toHaveLength(1);
  });

  it('frozen with a message in flight: the handler finishes with its resource open, the lost reply is a warning', async () => {
    const plan = await start(target);
    const app = await launch(plan);
    const client = await clientOf(app, plan);
    const forget = client.begin('slow', 1);
    await app.line(/^at:slow-1$/);
    // Nest's clients do not take the loss of a broker well.
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

it('redis without attempts to connect again: the transport that cannot be closed is a warning, exit code 0', async () => {
  const app = await launch({ ...(await start({ transport: 'redis', kind: 'hybrid' })), options: {} });
  await broker!.kill();
  await app.line(/Disconnected from Redis/);
  app.kill('SIGTERM');
  expect(await app.end()).toEqual({ code: 0, signal: null });
  expect(app.output).toMatch(/WARN \[Drain\] ServerRedis could not be closed: Connection is closed/);
  expect(app.lines(/^resource closed$/)).toHaveLength(1);
});
