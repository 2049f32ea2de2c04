import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppProcess } from '../../support/app-process.js';
import { runOrThrow } from '../../support/run-command.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { placedIn, Shop } from './shop-app.js';

const { jest } = import.meta;
jest.setTimeout(60_000);

let dir: Awaited<ReturnType<typeof tempDir>>;
const cartFile = (name: string): string => join(dir.path, 'carts', `${name}.json`);

beforeEach(async () => {
  dir = await tempDir();
});

afterEach(async () => {
  await AppProcess.killAll();
  await dir.remove();
});

describe('cart of the shop', () => {
  it('loses nothing when it is passivated and recreated repeatedly', async () => {
    const shop = await Shop.start(dir.path, { CART_IDLE_MS: '1' });

    // With 1 ms, carts are passivated between these requests and during them.
    const visit = async (visitor: number): Promise<void> => {
      for (let i = 0; i < 60; i++) {
        expect((await shop.add(`cart-${(visitor + i) % 3}`)).status).toBe(201);
      }
    };
    await Promise.all([0, 1, 2, 3, 4].map(visit));
    for (const cart of [0, 1, 2]) expect((await shop.get(`/carts/cart-${cart}`)).body.lines[0].quantity).toBe(100);

    shop.process.kill('SIGTERM');
    await shop.process.end();
    expect(shop.process.lines(/all actors stopped in .*; 0 dead letters since startup/)).toHaveLength(1);
    expect(shop.process.lines(/WARN|ERROR/)).toEqual([]);
  });

  it('fails alone with a damaged file, and recovers when the file is repaired', async () => {
    const shop = await Shop.start(dir.path, { CART_IDLE_MS: '1' });
    await shop.add('alice');
    const text = readFileSync(cartFile('alice'), 'utf8');
    writeFileSync(cartFile('alice'), text.slice(0, 20));

    let answer = await shop.get('/carts/alice');
    for (let i = 0; i < 20; i++) answer = await shop.get('/carts/alice');

    expect(answer).toMatchObject({
      status: 500,
      body: { message: 'The file of cart "alice" is damaged or not accessible' },
    });
    expect(shop.process.lines(/ERROR.*\/user\/carts\/alice.*CartFileError/).length).toBeGreaterThan(0);
    expect((await shop.add('bob')).status).toBe(201);
    expect((await shop.get('/health/ready')).status).toBe(200);
    writeFileSync(cartFile('alice'), text);
    expect((await shop.add('alice')).body.lines[0].quantity).toBe(2);
  });

  it('reports that its file cannot be written, and stays unchanged', async () => {
    const shop = await Shop.start(dir.path);
    await shop.add('alice');
    // Blocks the draft file that is written first. Permissions would not stop root.
    mkdirSync(`${cartFile('alice')}.new`);

    expect((await shop.add('alice')).status).toBe(500);
    expect((await shop.get('/carts/alice')).body.lines[0].quantity).toBe(1);
    // The journal is the source of truth: the order is placed, and is not placed again.
    const { status, body } = await shop.checkout('alice');
    expect(status).toBe(201);
    expect((await shop.get('/carts/alice')).body.lines).toEqual([]);

    rmdirSync(`${cartFile('alice')}.new`);
    expect((await shop.checkout('alice')).status).toBe(409);
    expect(placedIn(dir.path).map(({ id }) => id)).toEqual([body.id]);
  });
});

describe('a cart that hangs', () => {
  it('limits the wait of its visitors, and does not affect others', async () => {
    const shop = await Shop.start(dir.path);
    // Reading from it blocks until it is written to.
    await runOrThrow('mkfifo', [cartFile('alice')]);

    const first = shop.get('/carts/alice');
    await shop.get('/carts/bob');
    const answers = [first, ...Array.from({ length: 120 }, () => shop.get('/carts/alice'))];
    const refused = await Promise.race(answers);
    expect(refused.status).toBe(503);
    expect((await shop.add('bob')).status).toBe(201);

    const statuses = (await Promise.all(answers)).map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(20).fill(503), ...Array<number>(101).fill(504)]);

    writeFileSync(cartFile('alice'), '{"orderId":"42","lines":[]}');
    await until('room in the mailbox', async () => (await shop.add('alice')).status === 201);
  });
});

describe('carts after a kill', () => {
  it('are unchanged, including those that were just being ordered', async () => {
    const first = await Shop.start(dir.path);
    await first.add('alice', 'mug', 3);
    for (const cart of ['bob', 'carol']) await first.add(cart);
    // The order is in the journal, while the file of the cart is unchanged.
    const [bob, carol] = ['bob', 'carol'].map((cart) => readFileSync(cartFile(cart), 'utf8'));
    const [ofBob, ofCarol] = [(await first.checkout('bob')).body.id, (await first.checkout('carol')).body.id];
    first.process.kill('SIGKILL');
    await first.process.end();
    writeFileSync(cartFile('bob'), bob!);
    writeFileSync(cartFile('carol'), carol!);
    // Also leaves an unfinished draft.
    writeFileSync(`${cartFile('alice')}.new`, '{"orde');
    const shop = await Shop.start(dir.path);

    expect((await shop.get('/carts/alice')).body.lines).toEqual([{ sku: 'mug', quantity: 3, priceCents: 1_100 }]);
    expect((await shop.add('alice', 'mug', 1)).body.lines[0].quantity).toBe(4);
    // A retry returns the order that was placed.
    expect(await shop.checkout('bob')).toMatchObject({ status: 201, body: { id: ofBob } });
    expect((await shop.checkout('bob')).status).toBe(409);
    // The ordered items do not mix with items added now.
    expect((await shop.add('carol', 'mug')).body.lines).toEqual([{ sku: 'mug', quantity: 1, priceCents: 1_100 }]);
    const { body } = await shop.checkout('carol');
    expect(placedIn(dir.path).map(({ id }) => id)).toEqual([ofBob, ofCarol, body.id]);
  });
});

describe('a full disk', () => {
  const limit = (shop: Shop, bytes: number | 'unlimited'): Promise<string> =>
    runOrThrow('prlimit', ['--pid', String(shop.process.pid), `--fsize=${bytes}:unlimited`]);

  it('makes the shop refuse the order, keep journal and cart intact, and accept the order when there is space', async () => {
    const shop = await Shop.start(dir.path, { SHIP_MS: '10000' });
    const first = await shop.order('alice');
    await shop.add('bob');
    const { size } = statSync(join(dir.path, 'orders.jsonl'));

    await limit(shop, size + 100);
    const refused = await shop.checkout('bob');
    expect(refused).toMatchObject({ status: 503, body: { message: 'The order could not be saved' } });
    expect(statSync(join(dir.path, 'orders.jsonl')).size).toBe(size);
    expect((await shop.get('/carts/bob')).body.lines).toHaveLength(1);
    expect((await shop.get('/orders')).body).toHaveLength(1);

    await limit(shop, 'unlimited');
    const { status, body } = await shop.checkout('bob');
    expect(status).toBe(201);
    expect(placedIn(dir.path).map((order) => order.id)).toEqual([first, body.id]);
    expect((await shop.get('/carts/bob')).body.lines).toEqual([]);
    expect(readdirSync(join(dir.path, 'carts')).sort()).toEqual(['alice.json', 'bob.json']);
  });
});
