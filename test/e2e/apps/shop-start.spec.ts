import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { AppProcess } from '../../support/app-process.js';
import { runCommand } from '../../support/run-command.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { placedIn, shippedIn, Shop } from './shop-app.js';

const { jest } = import.meta;
jest.setTimeout(60_000);

let dir: Awaited<ReturnType<typeof tempDir>>;
let orders: string;

beforeEach(async () => {
  dir = await tempDir();
  orders = join(dir.path, 'orders.jsonl');
});

afterEach(async () => {
  await AppProcess.killAll();
  await dir.remove();
});

const expectRefused = async (shop: AppProcess, ...patterns: RegExp[]): Promise<void> => {
  const { code } = await shop.end();
  const lines = shop.output.trimEnd().split('\n');
  expect(lines).toHaveLength(patterns.length);
  for (const [index, pattern] of patterns.entries()) expect(lines[index]).toMatch(pattern);
  expect(code).toBe(1);
};

/** Creates two orders, of which the first is shipped. */
const JOURNAL = ['alice', 'bob']
  .map((cart) => ({ id: `order-of-${cart}`, cart, lines: [], totalCents: 0, placedAt: '2026-01-01T00:00:00.000Z' }))
  .map((order): object => ({ type: 'placed', order }))
  .concat({ type: 'shipped', id: 'order-of-alice', at: '2026-01-02T00:00:00.000Z' })
  .map((entry) => `${JSON.stringify(entry)}\n`);

describe('a shop that cannot start', () => {
  it('names every invalid variable, and reveals no secret', async () => {
    const env = { PORT: 'abc', ADMIN_TOKEN: 'short', CART_IDLE_MS: '0', SHIP_MS: '-1' };
    await expectRefused(
      Shop.spawn(dir.path, env),
      /^PORT is "abc": use a whole number from 0 to 65535$/,
      /^ADMIN_TOKEN is "\*{3}": use at least 16 characters, without spaces$/,
      /^CART_IDLE_MS is "0": use a whole number from 1 to 86400000$/,
      /^SHIP_MS is "-1": use a whole number from 0 to 10000$/,
    );
  });

  it('reports that its port is in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };

    const shop = Shop.spawn(dir.path, { PORT: String(port) });
    const { code } = await shop.end();
    other.close();

    expect(code).toBe(1);
    expect(shop.lines(/^HOST is "127.0.0.1", PORT is "\d+": listen EADDRINUSE/)).toHaveLength(1);
    expect(shop.lines(/^ {4}at /)).toEqual([]);
  });

  it('reports problems with its folder or the files in it', async () => {
    const within = (name: string): string => join(dir.path, name);
    const withJournal = (name: string, line: string): string => {
      mkdirSync(within(name));
      writeFileSync(join(within(name), 'orders.jsonl'), `${line}\n`);
      return within(name);
    };
    writeFileSync(within('file'), '');
    const [noFolder, tooLong, half, unknown] = [
      within('file/shop'),
      within('x'.repeat(100)),
      withJournal('half', '{"type":"placed","order":{"id":"1"}}'),
      withJournal('unknown', '{"type":"shipped","id":"1","at":"2026-01-01"}'),
    ].map((folder) => Shop.spawn(folder));

    await expectRefused(noFolder!, /^DATA_DIR is ".*\/file\/shop": ENOTDIR/);
    await expectRefused(tooLong!, /^DATA_DIR is ".*": the path is too long/);
    await expectRefused(half!, /line 1 is damaged: not a journal entry/, /^Repair/);
    await expectRefused(unknown!, /line 1 is damaged: unknown order 1/, /^Repair/);
  });

  it('names the damaged line of the journal, and leaves the file alone', async () => {
    const damaged = [JOURNAL[0], JOURNAL[1]!.slice(5), JOURNAL[2], '{"type":"pla'].join('');
    writeFileSync(orders, damaged);

    await expectRefused(Shop.spawn(dir.path), /orders\.jsonl, line 2 is damaged: /, /^Repair or remove that line/);
    expect(readFileSync(orders, 'utf8')).toBe(damaged);
  });
});

describe('two shops in one folder', () => {
  it('refuses the second one, and the first keeps running', async () => {
    const first = await Shop.start(dir.path);

    const second = Shop.spawn(dir.path);
    await expectRefused(
      second,
      /^DATA_DIR is ".*": another shop is using it\. Stop that shop, or set DATA_DIR to another folder/,
    );
    expect(second.output).toContain(`"${dir.path}"`);

    expect((await first.add('alice')).status).toBe(201);
    await first.order('alice');
  });

  it('lets only one start when several find the lock of a dead shop', async () => {
    const dies = `net.createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
    await runCommand(process.execPath, ['-e', dies, join(dir.path, 'lock')]);
    expect(statSync(join(dir.path, 'lock')).isSocket()).toBe(true);

    const shops = [1, 2].map(() => Shop.spawn(dir.path));
    const ups = shops.map((shop) =>
      shop.line(/^Shop listens/).then(
        () => shop,
        () => undefined,
      ),
    );
    const up = (
      await Promise.all(ups.map((one, i) => Promise.race([one, shops[i]!.ended.then(() => undefined)])))
    ).filter((shop) => shop !== undefined);

    expect(up).toHaveLength(1);
    up[0]!.kill('SIGTERM');
    expect(await up[0]!.end()).toEqual({ code: 0, signal: null });
    expect(existsSync(join(dir.path, 'lock'))).toBe(false);
  });
});

describe('a journal that ends in the middle of a line', () => {
  it('is truncated with a warning, and no complete line is lost', async () => {
    const whole = JOURNAL.join('');
    writeFileSync(orders, `${whole}{"type":"placed","order":{"id":"to`);

    const shop = await Shop.start(dir.path);

    expect(shop.process.lines(/orders\.jsonl ends in the middle of a line: removed 34 bytes/)).toHaveLength(1);
    expect(readFileSync(orders, 'utf8').startsWith(whole)).toBe(true);
    await until('what the last life has left', () => shippedIn(dir.path).includes('order-of-bob'));
    const id = await shop.order('carol');
    expect(placedIn(dir.path).map(({ cart }) => cart)).toEqual(['alice', 'bob', 'carol']);
    expect((await shop.get('/orders')).body[0].id).toBe(id);
  });
});
