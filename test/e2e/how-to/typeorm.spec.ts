import { AppProcess } from '../../support/app-process.js';
import { type Answer, postJson } from '../../support/http-client.js';
import { startPage } from '../../support/page-program.js';
import { Postgres } from '../../support/postgres.js';
import { until } from '../../support/until.js';

const { jest } = import.meta;
const PAGE = 'docs/how-to/typeorm.md';
jest.setTimeout(60_000);

let postgres: Postgres;
let url: string;
beforeAll(async () => {
  await Postgres.install();
  postgres = await Postgres.start();
}, 300_000);
beforeEach(async () => void (url = await postgres.createDatabase()));
afterEach(() => AppProcess.killAll());
afterAll(() => postgres.stop());

const placeOrder = (port: number, item: string): Promise<Answer> => postJson(port, '/orders', { item });

const storedItems = async (): Promise<string[]> => {
  const { rows } = await (await postgres.connect(url)).query<{ item: string }>('SELECT item FROM orders ORDER BY id');
  return rows.map(({ item }) => item);
};

describe('the TypeORM example', () => {
  it('commits the order in flight at SIGTERM, then runs the shutdown task, then closes the pool', async () => {
    const { app, port } = await startPage(PAGE, { env: { DATABASE_URL: url } });
    expect((await placeOrder(port, 'book')).status).toBe(201);
    const unblock = await postgres.blockWrites(url, 'orders');
    const inFlight = placeOrder(port, 'pen');
    await postgres.blocked(url);

    app.kill('SIGTERM');
    await app.line(/waiting for service-requests-done/);
    expect(await postgres.connectionsTo(url)).toBeGreaterThan(0);
    expect((await placeOrder(port, 'late')).status).toBe(503);
    await unblock();

    expect(await inFlight).toMatchObject({ status: 201, body: JSON.stringify({ item: 'pen', id: 2 }) });
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(app.output).toContain('2 orders sold');
    expect(await storedItems()).toEqual(['book', 'pen']);
    expect(app.lines(/WARN|ERROR/)).toEqual([]);
    // The server says so if a client disappears without a goodbye.
    await until('the end of the connections', async () => (await postgres.connectionsTo(url)) === 0);
    expect(postgres.lostClients(url)).toEqual([]);
  });

  it('rolls back an order that is cut off after maxWaitMs, and exits with 1', async () => {
    const { app, port } = await startPage(PAGE, { env: { DATABASE_URL: url, ROOST_DRAIN_MAX_WAIT_MS: '300' } });
    const unblock = await postgres.blockWrites(url, 'orders');
    const inFlight = placeOrder(port, 'pen');
    await postgres.blocked(url);

    app.kill('SIGTERM');

    await expect(inFlight).rejects.toThrow('socket hang up');
    expect(await app.end()).toEqual({ code: 1, signal: null });
    expect(app.output).toContain('0 orders sold');
    await unblock();
    await until('the end of the connections', async () => (await postgres.connectionsTo(url)) === 0);
    expect(await storedItems()).toEqual([]);
  });

  it('answers with 500 and exits with 0 when statement_timeout is shorter than maxWaitMs', async () => {
    const env = { DATABASE_URL: url, PGOPTIONS: '-c statement_timeout=1000' };
    const { app, port } = await startPage(PAGE, { env });
    const unblock = await postgres.blockWrites(url, 'orders');
    const inFlight = placeOrder(port, 'pen');
    await postgres.blocked(url);

    app.kill('SIGTERM');

    expect((await inFlight).status).toBe(500);
    expect(await app.end()).toEqual({ code: 0, signal: null });
    await unblock();
  });
});
