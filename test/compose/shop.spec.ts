import { randomUUID } from 'node:crypto';
import type { Container } from './container.js';
import { readFrom, signal } from './compose.js';
import { describeWithDocker } from './engine.js';
import { type Client, Load } from './load.js';
import { isReady } from './ready-ones.js';
import { Stack } from './stack.js';
import { until } from '../support/until.js';

/** `stop_grace_period` of the compose file. */
const GRACE_MS = 30_000;

const describeShop = await describeWithDocker();

describeShop('the shop in a container', () => {
  let stack: Stack;
  let shop: Container;
  let load: Load;
  let visitors = 0;
  /** Every order answered with 201, since the first test. */
  const confirmed: string[] = [];

  const order = async (client: Client): Promise<void> => {
    const cart = `/carts/visitor-${++visitors}`;
    const added = await client.send('POST', `${cart}/items`, { sku: 'tea', quantity: 1 });
    if (added?.status !== 201) return;
    const placed = await client.send('POST', `${cart}/checkout`);
    if (placed?.status === 201) confirmed.push((placed.body as { id: string }).id);
  };

  const up = async (env?: Record<string, string>): Promise<void> => {
    await stack.project.up(['shop'], { env });
    await findReady();
  };

  const findReady = async (): Promise<void> => {
    shop = await stack.project.container('shop');
    await until('the shop', () => isReady(shop.url), 30_000);
  };

  /** Waits until this many more orders have been confirmed. */
  const moreOrders = async (count: number): Promise<void> => {
    const goal = confirmed.length + count;
    await until('orders', () => confirmed.length >= goal, 30_000);
  };

  /** Checks the container that exited last. */
  const expectEndedWell = async (sent: string, since: number): Promise<void> => {
    const kill = await stack.project.events.event(sent, { of: 'shop', after: since });
    const die = await stack.project.events.event(/^die/, { of: 'shop', after: since });
    expect(die.what).toBe('die 0');
    expect(die.atMs - kill.atMs).toBeLessThan(GRACE_MS / 2);
    expect(stack.project.events.since(since, 'shop')).not.toContain('kill 9');
  };

  const expectNothingLost = (): void => {
    expect(load.lost).toEqual([]);
    expect(Object.keys(load.answers).filter((status) => !['201', '503'].includes(status))).toEqual([]);
  };

  const ordersOnDisk = async (): Promise<string[]> => {
    const lines = (await readFrom(shop, '/data/orders.jsonl')).trim().split('\n');
    const entries = lines.map((line) => JSON.parse(line) as { type: string; order?: { id: string } });
    return entries.filter(({ type }) => type === 'placed').map((entry) => entry.order!.id);
  };

  const expectOrdersKept = async (): Promise<void> => {
    const onDisk = await ordersOnDisk();
    expect(onDisk).toEqual(expect.arrayContaining(confirmed));
    expect(new Set(onDisk).size).toBe(onDisk.length);
    if (shop.status !== 'running') return;
    for (const id of confirmed) expect((await fetch(`${shop.url}/orders/${id}`)).status).toBe(200);
  };

  beforeAll(async () => {
    stack = await Stack.start();
  }, 300_000);

  afterAll(() => stack?.stop(), 60_000);

  beforeEach(async () => {
    await up();
    load = new Load(() => shop.url, order, 4);
  }, 60_000);

  afterEach(() => load?.stop(), 60_000);

  it('answers on the published port', async () => {
    expect((await fetch(`http://127.0.0.1:${stack.shopPort}/articles`)).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${stack.shopPort}/admin/stop`, { method: 'POST' })).status).toBe(404);
  });

  it('exits with 0 on a compose stop under load, well in time, without losing a request or an order', async () => {
    await moreOrders(50);
    const since = Date.now();
    await stack.project.run('stop', 'shop');
    await load.stop();

    await expectEndedWell('kill 15', since);
    expectNothingLost();
    shop = await stack.project.container('shop');
    expect(shop).toMatchObject({ status: 'exited', exitCode: 0, isOutOfMemory: false });
    // The orders on disk are exactly the confirmed ones.
    expect((await ordersOnDisk()).sort()).toEqual([...confirmed].sort());
    await up();
    await expectOrdersKept();
  }, 60_000);

  it('does the same on SIGINT, as sent by Ctrl+C', async () => {
    await moreOrders(20);
    const since = Date.now();
    await signal(shop, 'SIGINT');

    await expectEndedWell('kill 2', since);
    await load.stop();
    expectNothingLost();
    await up();
    await expectOrdersKept();
  }, 60_000);

  it('loses no request when it is restarted under load, and keeps accepting orders', async () => {
    await moreOrders(20);
    const since = Date.now();
    await stack.project.run('restart', 'shop');
    await findReady();
    await moreOrders(20);
    await load.stop();

    await expectEndedWell('kill 15', since);
    expectNothingLost();
    await expectOrdersKept();
  }, 60_000);

  it('becomes unhealthy before it exits, and serves requests until then', async () => {
    await load.stop();
    await up({ ROOST_DRAIN_LAME_DUCK_MS: '6s' });
    await stack.project.events.event('health_status: healthy', { of: 'shop', after: shop.createdAt });
    load = new Load(() => shop.url, order, 4);
    await moreOrders(20);
    const since = Date.now();
    const stopped = stack.project.run('stop', 'shop');

    await stack.project.events.event('health_status: unhealthy', { of: 'shop', after: since });
    expect(load.answers[503]).toBeUndefined();
    await moreOrders(20);
    await stopped;
    await load.stop();
    await expectEndedWell('kill 15', since);
    expect(stack.project.events.since(since, 'shop')).toEqual(['kill 15', 'health_status: unhealthy', 'die 0']);
    expectNothingLost();
    await up({ ROOST_DRAIN_LAME_DUCK_MS: '0' });
  }, 60_000);

  it('keeps every confirmed order after a kill', async () => {
    await moreOrders(50);
    await signal(shop, 'SIGKILL');
    await load.stop();

    // Requests in flight must be lost here. This also proves that the clients detect lost requests.
    expect(load.lost).not.toEqual([]);
    expect(await stack.project.container('shop')).toMatchObject({ status: 'exited', exitCode: 137 });
    await up();
    await expectOrdersKept();
  }, 60_000);

  it('keeps its orders in the volume when its container is recreated', async () => {
    await moreOrders(5);
    await load.stop();
    const before = shop.id;
    await stack.project.run('rm', '--stop', '--force', 'shop');
    await up();

    expect(shop.id).not.toBe(before);
    await expectOrdersKept();
  }, 60_000);

  it('exits with 0 on a stop request over HTTP, and the engine does not restart it', async () => {
    await load.stop();
    const token = randomUUID();
    await up({ ADMIN_TOKEN: token });
    const since = Date.now();
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${shop.url}/admin/stop`, { method: 'POST', headers });

    expect(response.status).toBe(202);
    const { what } = await stack.project.events.event(/^die/, { of: 'shop', after: since });
    expect(what).toBe('die 0');
    expect(await stack.project.container('shop')).toMatchObject({ status: 'exited', restarts: 0 });
  }, 60_000);

  it('exits without SIGKILL when it is stopped during startup', async () => {
    await load.stop();
    await stack.project.run('stop', 'shop');
    const since = Date.now();
    await stack.project.up(['shop']);
    await stack.project.run('stop', 'shop');

    const { what } = await stack.project.events.event(/^die/, { of: 'shop', after: since });
    // 143 is possible because nothing can handle the signal before the first line of JavaScript has run.
    expect(['die 0', 'die 143']).toContain(what);
    expect(stack.project.events.since(since, 'shop')).not.toContain('kill 9');
  }, 60_000);
});
