import { Queue } from 'bullmq';
import { AppProcess } from '../../support/app-process.js';
import { type Broker, installBrokers, startRedis } from '../../support/brokers.js';
import { postJson } from '../../support/http-client.js';
import { startPage } from '../../support/page-program.js';
import { Upstream } from '../../support/upstream.js';

const { jest } = import.meta;
const PAGE = 'docs/how-to/bullmq.md';
jest.setTimeout(60_000);
// Redis may have to be installed.
beforeAll(() => installBrokers(), 300_000);

let redis: Broker;
let queue: Queue;
let warehouse: Upstream;
let env: Record<string, string>;
beforeEach(async () => {
  redis = await startRedis();
  queue = new Queue('orders', { connection: { host: '127.0.0.1', port: redis.port } });
  warehouse = await Upstream.start();
  env = { REDIS_URL: `redis://127.0.0.1:${redis.port}`, WAREHOUSE_URL: warehouse.url };
});
afterEach(async () => {
  await AppProcess.killAll();
  await queue.close();
  await redis.stop();
  await warehouse.stop();
});

const counts = (): Promise<Record<string, number>> => queue.getJobCounts('waiting', 'active', 'completed', 'failed');

describe('the @nestjs/bullmq example', () => {
  it('completes the jobs in flight at SIGTERM and leaves later jobs in the queue', async () => {
    const { app, port } = await startPage(PAGE, { env });
    for (const id of [1, 2]) expect((await postJson(port, '/orders', { id })).status).toBe(201);
    await warehouse.arrived(2);

    app.kill('SIGTERM');
    // Two of four slots are free, so only the pause keeps this job in the queue.
    await app.line(/waiting for service-requests-done/);
    await queue.add('order', { id: 3 });
    warehouse.release();

    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(await counts()).toEqual({ waiting: 1, active: 0, completed: 2, failed: 0 });
    expect(warehouse.requests).toHaveLength(2);
    expect(app.lines(/WARN|ERROR/)).toEqual([]);
  });

  it('runs a waiting job in the next process', async () => {
    warehouse.release();
    await queue.add('order', { id: 3 });
    const { app } = await startPage(PAGE, { env });
    await warehouse.arrived();

    app.kill('SIGTERM');

    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(await counts()).toEqual({ waiting: 0, active: 0, completed: 1, failed: 0 });
  });
});
