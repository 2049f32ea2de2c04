import { AppProcess } from '../../support/app-process.js';
import { get, request } from '../../support/http-client.js';
import { compilePage, startPage } from '../../support/page-program.js';
import { Upstream } from '../../support/upstream.js';

const { jest } = import.meta;
const PAGE = 'docs/how-to/config-service.md';
jest.setTimeout(30_000);

let warehouse: Upstream;
beforeEach(async () => void (warehouse = await Upstream.start()));
afterEach(async () => {
  await AppProcess.killAll();
  await warehouse.stop();
});

const placeOrder = (port: number) => request(port, '/orders', { method: 'POST' });

describe('the ConfigService example', () => {
  it('gives its values to every module, and finishes the request in flight at SIGTERM', async () => {
    const env = { WAREHOUSE_URL: warehouse.url, STOP_SECONDS: '26', RETRY_SECONDS: '9' };
    const { app, port } = await startPage(PAGE, { env });
    expect((await get(port, '/probes/ready')).status).toBe(200);
    const inFlight = placeOrder(port);
    await warehouse.arrived();

    app.kill('SIGTERM');
    await app.line(/shutdown started: .*, at most 26 s/);
    await app.line(/waiting for service-requests-done/);
    expect(await placeOrder(port)).toMatchObject({ status: 503, headers: { 'retry-after': '9' } });
    warehouse.release();

    expect(await inFlight).toMatchObject({ status: 201, body: 'placed' });
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(app.lines(/WARN|ERROR/)).toEqual([]);
  });

  it('prefers a value of the factory to a ROOST variable, which counts where the factory has no value', async () => {
    const env = { STOP_SECONDS: '25', ROOST_TIMEOUT_MS: '9s', ROOST_DRAIN_LAME_DUCK_MS: '200ms' };
    const { app } = await startPage(PAGE, { env });
    app.kill('SIGTERM');
    expect((await app.end()).code).toBe(0);
    expect(app.output).toContain('at most 25 s');
    expect(app.output).toMatch(/phase before-service-unbind completed in 2\d\d ms/);
  });

  it('does not start with a value that is not a number', async () => {
    const app = new AppProcess(`${compilePage(PAGE)}/main.js`, { env: { STOP_SECONDS: 'soon' } });
    expect((await app.end()).code).toBe(1);
    expect(app.output).toMatch(/timeoutMs/);
  });
});
