import { AppProcess } from '../../support/app-process.js';
import { type Answer, postJson } from '../../support/http-client.js';
import { startPage } from '../../support/page-program.js';
import { Postgres } from '../../support/postgres.js';
import { until } from '../../support/until.js';

const { jest } = import.meta;
const PAGE = 'docs/how-to/drizzle.md';
jest.setTimeout(60_000);

let postgres: Postgres;
let url: string;
beforeAll(async () => {
  await Postgres.install();
  postgres = await Postgres.start();
}, 300_000);
beforeEach(async () => {
  url = await postgres.createDatabase();
  await (await postgres.connect(url)).query('CREATE TABLE orders (id serial PRIMARY KEY, item text NOT NULL)');
});
afterEach(() => AppProcess.killAll());
afterAll(() => postgres.stop());

const placeOrder = (port: number, item: string): Promise<Answer> => postJson(port, '/orders', { item });

describe('the Drizzle example', () => {
  it('finishes the insert in flight at SIGTERM, then closes the pool', async () => {
    const { app, port } = await startPage(PAGE, { env: { DATABASE_URL: url } });
    const unblock = await postgres.blockWrites(url, 'orders');
    const inFlight = placeOrder(port, 'pen');
    await postgres.blocked(url);

    app.kill('SIGTERM');
    await app.line(/waiting for service-requests-done/);
    expect(await postgres.connectionsTo(url)).toBe(1);
    expect((await placeOrder(port, 'late')).status).toBe(503);
    await unblock();

    expect(await inFlight).toMatchObject({ status: 201, body: '{"id":1}' });
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(app.lines(/WARN|ERROR/)).toEqual([]);
    await until('the end of the connection', async () => (await postgres.connectionsTo(url)) === 0);
    expect(postgres.lostClients(url)).toEqual([]);
  });

  it('waits for a query that outlives its request until timeoutMs', async () => {
    const env = { DATABASE_URL: url, ROOST_DRAIN_MAX_WAIT_MS: '200', ROOST_TIMEOUT_MS: '2s' };
    const { app, port } = await startPage(PAGE, { env });
    const unblock = await postgres.blockWrites(url, 'orders');
    const inFlight = placeOrder(port, 'pen').catch((error: Error) => error.message);
    await postgres.blocked(url);

    app.kill('SIGTERM');

    expect(await app.end()).toEqual({ code: 1, signal: null });
    expect(await inFlight).toBe('socket hang up');
    expect(app.output).toMatch(/Database\.onApplicationShutdown/);
    await unblock();
  });
});

it('Postgres.lostClients() reports a process that is killed', async () => {
  const { app, port } = await startPage(PAGE, { env: { DATABASE_URL: url } });
  await placeOrder(port, 'pen');
  app.kill('SIGKILL');
  await app.end();
  await until('the lost client', () => postgres.lostClients(url).length === 1);
});
