import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppProcess } from '../../support/app-process.js';
import { request } from '../../support/http-client.js';
import { startPage } from '../../support/page-program.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { Upstream } from '../../support/upstream.js';

interface Line {
  level: number;
  context?: string;
  msg: string;
}

const { jest } = import.meta;
const PAGE = 'docs/how-to/pino.md';
jest.setTimeout(60_000);

let warehouse: Upstream;
let dir: Awaited<ReturnType<typeof tempDir>>;
beforeEach(async () => {
  dir = await tempDir();
  warehouse = await Upstream.start();
});
afterEach(async () => {
  await AppProcess.killAll();
  await warehouse.stop();
  await dir.remove();
});

/** Fails if a line is not complete. */
const linesOf = (text: string): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

describe('the pino example', () => {
  it.each([
    ['stdout', false],
    ['a worker thread', true],
  ])('writes every line of the shutdown to %s', async (_to, hasFile) => {
    const file = join(dir.path, 'app.log');
    const env = { WAREHOUSE_URL: warehouse.url, ...(hasFile && { LOG_FILE: file }) };
    const { app, port } = await startPage(PAGE, { env });
    const log = (): string => (hasFile ? readFileSync(file, 'utf8') : app.output);
    const inFlight = request(port, '/orders', { method: 'POST' });
    await warehouse.arrived();

    app.kill('SIGTERM');
    await until('the first line of the shutdown', () => log().includes('"context":"CoordinatedShutdown"'));
    warehouse.release();

    expect((await inFlight).body).toBe('placed');
    expect(await app.end()).toEqual({ code: 0, signal: null });
    const lines = linesOf(log());
    expect(lines).toContainEqual(expect.objectContaining({ context: 'OrdersController', msg: 'order placed' }));
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'request completed' }));
    const report = lines.filter(({ context, msg }) => context === 'CoordinatedShutdown' && msg.includes('exit code 0'));
    expect(report).toHaveLength(1);
    expect(report[0]!.msg).toContain('service-requests-done');
    expect(lines.filter(({ level }) => level > 30)).toEqual([]);
    if (hasFile) expect(app.output).toBe('');
  });

  it('writes the report of each of five idle stops from its worker thread', async () => {
    for (let stop = 1; stop <= 5; stop++) {
      const file = join(dir.path, `${stop}.log`);
      const { app } = await startPage(PAGE, { env: { LOG_FILE: file } });
      app.kill('SIGTERM');
      expect(await app.end()).toEqual({ code: 0, signal: null });
      expect(linesOf(readFileSync(file, 'utf8')).at(-1)!.msg).toContain('exit code 0');
    }
  });
});
