import { AppProcess } from '../../support/app-process.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { placedIn, Shop, shippedIn } from './shop-app.js';
import { ShopLoad } from './shop-load.js';

const { jest } = import.meta;
jest.setTimeout(60_000);

const TOKEN = 'correct-horse-battery';

let dir: Awaited<ReturnType<typeof tempDir>>;
beforeEach(async () => {
  dir = await tempDir();
});

afterEach(async () => {
  await AppProcess.killAll();
  await dir.remove();
});

const expectEndsWell = async (shop: Shop): Promise<void> => {
  expect(await shop.process.end()).toEqual({ code: 0, signal: null });
};

/** Checks that every confirmed order exists after a restart, and is shipped. */
const expectShipped = async (ids: string[], shop?: Shop): Promise<void> => {
  shop ??= await Shop.start(dir.path);
  for (const id of ids) expect((await shop.get(`/orders/${id}`)).status).toBe(200);
  await until('the last parcel', () => shippedIn(dir.path).length === placedIn(dir.path).length);
  expect(new Set(shippedIn(dir.path)).size).toBe(placedIn(dir.path).length);
  shop.process.kill('SIGTERM');
  await expectEndsWell(shop);
};

describe('Ctrl+C in the shop', () => {
  it('finishes the current shipment, logs the phases with their times, and logs a summary', async () => {
    const shop = await Shop.start(dir.path, { SHIP_MS: '300' });
    const first = await shop.order('alice');
    const second = await shop.order('bob');

    shop.process.kill('SIGINT');
    await expectEndsWell(shop);

    expect(shippedIn(dir.path)).toEqual([first]);
    expect(shop.process.lines(/\[Shop\] closing: 2 orders not shipped yet/)).toHaveLength(1);
    expect(
      shop.process.lines(/\[Shop\] closed: 2 orders confirmed, 1 shipped, 1 left for the next start/),
    ).toHaveLength(1);
    expect(shop.process.lines(/\[Statistics\] orders: 2, revenue: 15\.80, sold: \{"tea":2\}/)).toHaveLength(1);
    const table = shop.process
      .lines(/^ {2}[\w-]+ +completed +[\d.]+ m?s +\d tasks?$/)
      .map((line) => line.split(/ +/)[1]);
    expect(table).toEqual([
      'service-unbind',
      'service-requests-done',
      'service-stop',
      'before-actor-system-terminate',
      'actor-system-terminate',
    ]);
    expect(shop.process.lines(/WARN|ERROR/)).toEqual([]);

    await expectShipped([first, second]);
  });

  it('ends it immediately when pressed twice during a shipment', async () => {
    const shop = await Shop.start(dir.path, { SHIP_MS: '10000' });
    await shop.order('alice');

    shop.process.kill('SIGINT');
    // A second signal within half a second counts as an echo of the first.
    await shop.process.line(/waiting for service-requests-done\/finish-background-processes .*shipping: step 1/);
    shop.process.kill('SIGINT');

    expect(await shop.process.end()).toEqual({ code: 130, signal: null });
    expect(shippedIn(dir.path)).toEqual([]);
  });

  it('exits with 0 during startup', async () => {
    const shop = new AppProcess('apps/shop/dist/main.js', {
      nodeArgs: ['--import', '@roost/shutdown/early'],
      env: { DATA_DIR: dir.path },
    });
    await until('the lock', () => placedSafely() !== undefined);
    shop.kill('SIGINT');
    expect(await shop.end()).toEqual({ code: 0, signal: null });
  });
});

/** Returns undefined while there is no journal. */
const placedSafely = (): unknown => {
  try {
    return placedIn(dir.path);
  } catch {
    return undefined;
  }
};

describe('admin route of the shop', () => {
  it('requires the token, answers, and the shop exits with 0', async () => {
    const shop = await Shop.start(dir.path, { ADMIN_TOKEN: TOKEN });
    for (const authorization of ['', TOKEN, `Bearer ${TOKEN}x`, 'Bearer ', `Basic ${TOKEN}`]) {
      expect((await shop.post('/admin/stop', undefined, { authorization })).status).toBe(401);
    }
    expect((await shop.get('/health/ready')).status).toBe(200);

    const answer = await shop.post('/admin/stop', undefined, { authorization: `Bearer ${TOKEN}` });

    expect(answer).toMatchObject({ status: 202, body: { message: 'The shop is shutting down' } });
    await expectEndsWell(shop);
    expect(shop.process.lines(/shutdown completed in .*: admin-stop, exit code 0/)).toHaveLength(1);
  });
});

describe('shop under load', () => {
  it('loses nothing on SIGTERM: every order is on disk once, or was refused', async () => {
    const shop = await Shop.start(dir.path, { SHIP_MS: '50' });
    const load = new ShopLoad(shop);
    await until('orders', () => load.confirmed.length > 50);

    shop.process.kill('SIGTERM');
    await expectEndsWell(shop);
    await load.end();

    const placed = placedIn(dir.path);
    expect(placed.map(({ id }) => id).sort()).toEqual(load.confirmed.sort());
    expect(new Set(placed.map(({ cart }) => cart)).size).toBe(placed.length);
    const others = load.carts(({ status }) => status !== 201).map((cart) => load.outcomes.get(cart)!);
    expect(
      others.filter(({ status, code }) => status !== 503 && code !== 'ECONNREFUSED' && code !== 'ECONNRESET'),
    ).toEqual([]);
    expect(shop.process.lines(/ERROR|[1-9]\d* dead letters?/)).toEqual([]);

    // A cart that was filled but whose checkout was refused is still filled.
    const again = await Shop.start(dir.path);
    for (const cart of load.carts(({ step, status }) => step === 'checkout' && status !== 201)) {
      expect((await again.get(`/carts/${cart}`)).body.lines).toHaveLength(1);
    }
    await expectShipped(load.confirmed, again);
  });

  it('loses no confirmed order on kill -9, and a retry orders nothing twice', async () => {
    const shop = await Shop.start(dir.path, { SHIP_MS: '50' });
    const load = new ShopLoad(shop);
    await until('orders', () => load.confirmed.length > 50);

    shop.process.kill('SIGKILL');
    await shop.process.end();
    await load.end();

    // The last line may be incomplete. The shop itself must read it.
    const again = await Shop.start(dir.path);
    const known = new Set(placedIn(dir.path).map(({ id }) => id));
    expect(load.confirmed.filter((id) => !known.has(id))).toEqual([]);
    const unsure = load.carts(({ step, status }) => step === 'checkout' && status === undefined);
    expect(unsure.length).toBeGreaterThan(0);
    for (const cart of unsure) expect((await again.checkout(cart)).status).toBe(201);
    const carts = placedIn(dir.path).map(({ cart }) => cart);
    expect(new Set(carts).size).toBe(carts.length);
    expect(carts).toEqual(expect.arrayContaining(unsure));
    await expectShipped(load.confirmed, again);
  });
});
