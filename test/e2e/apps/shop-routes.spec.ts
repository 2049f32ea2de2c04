import { AppProcess } from '../../support/app-process.js';
import { runCommand } from '../../support/run-command.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { Shop } from './shop-app.js';
import { ShopLoad } from './shop-load.js';

const { jest } = import.meta;
jest.setTimeout(60_000);

const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);
const DATE = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

describe('routes of the shop', () => {
  let dir: Awaited<ReturnType<typeof tempDir>>;
  let shop: Shop;

  beforeAll(async () => {
    dir = await tempDir();
    shop = await Shop.start(dir.path);
  });

  afterAll(async () => {
    await AppProcess.killAll();
    await dir.remove();
  });

  it('prints commands that work', async () => {
    const commands = shop.process.lines(/^ {2}curl /);
    expect(commands).toHaveLength(3);

    const answers = [];
    for (const command of commands) {
      const { code, stdout } = await runCommand('sh', ['-c', `${command} -sS --fail`]);
      expect(code).toBe(0);
      answers.push(JSON.parse(stdout));
    }

    expect(answers).toMatchObject([
      { cart: 'alice', totalCents: 1_580 },
      { cart: 'alice', totalCents: 1_580, id: UUID },
      { orders: 1, sold: { tea: 2 } },
    ]);
  });

  it('lists the articles', async () => {
    const { status, body } = await shop.get('/articles');

    expect(status).toBe(200);
    expect(body.map(({ sku }: { sku: string }) => sku)).toEqual(['tea', 'coffee', 'mug']);
    expect(body[0]).toEqual({ sku: 'tea', name: expect.any(String), priceCents: 790 });
  });

  it('shows an unused cart as empty', async () => {
    expect(await shop.get('/carts/new')).toMatchObject({
      status: 200,
      body: { cart: 'new', lines: [], totalCents: 0 },
    });
  });

  it('fills a cart, removes an item, orders the cart and shows the order', async () => {
    await shop.add('bob', 'tea', 2);
    await shop.add('bob', 'mug', 1);
    expect((await shop.add('bob', 'tea', 3)).body.totalCents).toBe(5 * 790 + 1_100);
    expect(await shop.delete('/carts/bob/items/mug')).toMatchObject({ status: 200, body: { totalCents: 5 * 790 } });

    const { status, body: order } = await shop.checkout('bob');
    expect(status).toBe(201);
    expect(order).toEqual({
      id: UUID,
      cart: 'bob',
      lines: [{ sku: 'tea', quantity: 5, priceCents: 790 }],
      totalCents: 3_950,
      placedAt: DATE,
    });

    expect((await shop.get('/carts/bob')).body.lines).toEqual([]);
    await until('shipping', async () => (await shop.get(`/orders/${order.id}`)).body.status === 'shipped');
    expect((await shop.get(`/orders/${order.id}`)).body).toEqual({ ...order, status: 'shipped', shippedAt: DATE });
    expect((await shop.get('/orders')).body[0].id).toBe(order.id);
  });

  it('distinguishes carts that differ only in upper and lower case', async () => {
    await shop.add('Carol', 'tea');
    expect((await shop.get('/carts/carol')).body.lines).toEqual([]);
  });

  it.each([
    ['an unknown article', 404, { sku: 'gold', quantity: 1 }, /no article "gold"/],
    ['a missing article', 400, { quantity: 1 }, /sku must be/],
    ['a number as the article', 400, { sku: 7, quantity: 1 }, /sku must be/],
    ['a quantity of 0', 400, { sku: 'tea', quantity: 0 }, /quantity must not be less than 1/],
    ['a quantity that is too large', 400, { sku: 'tea', quantity: 101 }, /quantity must not be greater than 100/],
    ['a fraction', 400, { sku: 'tea', quantity: 1.5 }, /quantity must be an integer/],
    ['a string as the quantity', 400, { sku: 'tea', quantity: '1' }, /quantity must be an integer/],
    ['a price', 400, { sku: 'tea', quantity: 1, priceCents: 1 }, /priceCents should not exist/],
    ['broken JSON', 400, '{"sku":', /JSON/],
    ['an empty body', 400, undefined, /./],
  ])('rejects %s', async (_what, status, body, message) => {
    const answer = await shop.post('/carts/dave/items', body);

    expect(answer.status).toBe(status);
    expect(String(answer.body.message)).toMatch(message);
    expect((await shop.get('/carts/dave')).body.lines).toEqual([]);
  });

  it('accepts up to 100 of one article in total', async () => {
    expect((await shop.add('erin', 'tea', 60)).status).toBe(201);
    expect((await shop.add('erin', 'tea', 41)).status).toBe(409);
    expect((await shop.add('erin', 'tea', 40)).body.lines[0].quantity).toBe(100);
  });

  it.each(['..%2Forders', 'a.b', 'x'.repeat(41), 'a%00b', '%C3%BC'])('rejects a cart called %s', async (name) => {
    expect((await shop.get(`/carts/${name}`)).status).toBe(400);
    expect((await shop.add(name)).status).toBe(400);
    expect((await shop.checkout(name)).status).toBe(400);
  });

  it.each(['constructor', '__proto__', 'x'.repeat(40), '-'])('accepts a cart called %s', async (name) => {
    expect((await shop.add(name)).status).toBe(201);
    expect((await shop.get(`/carts/${name}`)).body.lines).toHaveLength(1);
  });

  it('does not order an empty cart', async () => {
    expect(await shop.checkout('frank')).toMatchObject({ status: 409, body: { message: 'The cart is empty' } });
  });

  it('orders a cart once, even with concurrent requests', async () => {
    await shop.add('grace');
    const answers = await Promise.all(Array.from({ length: 10 }, () => shop.checkout('grace')));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(409)]);
  });

  it('returns 404 for an unknown order', async () => {
    expect((await shop.get('/orders/nope')).status).toBe(404);
  });

  it('has probes, and no admin route without a token', async () => {
    for (const probe of ['live', 'ready', 'startup']) expect((await shop.get(`/health/${probe}`)).status).toBe(200);
    expect((await shop.post('/admin/stop')).status).toBe(404);
  });

  it('has a complete OpenAPI page with all its assets', async () => {
    const page = await shop.get('/api');
    const assets = [...page.text.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, path]) => path);
    expect(assets.length).toBeGreaterThan(3);
    for (const path of assets) expect((await shop.get(`/${path}`)).status).toBe(200);

    const { body } = await shop.get('/api-json');
    expect(Object.keys(body.paths)).toEqual(
      expect.arrayContaining(['/articles', '/carts/{cart}/checkout', '/orders/{id}', '/stats']),
    );
    expect(body.components.schemas.AddItemDto.properties.quantity).toMatchObject({ minimum: 1, maximum: 100 });
  });

  it('describes every operation in the OpenAPI document, and shows no login without an admin route', async () => {
    const { body } = await shop.get('/api-json');
    const operations = Object.values<Record<string, { summary?: string; tags: string[] }>>(body.paths).flatMap((path) =>
      Object.values(path),
    );
    expect(operations.length).toBeGreaterThan(10);
    expect(operations.filter(({ summary }) => !summary)).toEqual([]);
    expect(new Set(operations.flatMap(({ tags }) => tags))).toEqual(
      new Set(['articles', 'carts', 'orders', 'statistics', 'probes']),
    );
    expect(body.info.description).toBeTruthy();
    expect(body.components.securitySchemes).toBeUndefined();
  });

  it('has consistent statistics at any time', async () => {
    const load = new ShopLoad(shop, 5);
    const before = (await shop.get('/stats')).body;
    let looks = 0;
    do {
      const { body } = await shop.get('/stats');
      const prices: Record<string, number> = { tea: 790, coffee: 1_250, mug: 1_100 };
      const sold = Object.entries<number>(body.sold).reduce((sum, [sku, count]) => sum + count * prices[sku]!, 0);
      expect(sold).toBe(body.revenueCents);
      expect(body.lastMinute).toEqual({ orders: body.orders, revenueCents: body.revenueCents });
      looks++;
    } while (load.confirmed.length < 50);
    await load.end();

    await until(
      'the last order',
      async () => (await shop.get('/stats')).body.orders === before.orders + load.confirmed.length,
    );
    expect(looks).toBeGreaterThan(5);
    expect((await shop.get('/orders')).body.length).toBeLessThanOrEqual(100);
  });
});
