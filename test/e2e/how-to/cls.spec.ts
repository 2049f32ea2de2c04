import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { AppProcess } from '../../support/app-process.js';
import { readAnswer, request } from '../../support/http-client.js';
import { startPage } from '../../support/page-program.js';
import { Upstream } from '../../support/upstream.js';

const { jest } = import.meta;
const PAGE = 'docs/how-to/cls.md';
jest.setTimeout(30_000);

let warehouse: Upstream;
let app: AppProcess;
let port: number;
beforeEach(async () => {
  warehouse = await Upstream.start();
  ({ app, port } = await startPage(PAGE, { env: { WAREHOUSE_URL: warehouse.url } }));
});
afterEach(async () => {
  await AppProcess.killAll();
  await warehouse.stop();
});

const send = async (method: string, path: string, id: string): Promise<string> =>
  (await request(port, path, { method, headers: { 'x-request-id': id } })).body;

/** Resolves when the server has accepted the request. */
const sendAccepted = async (method: string, path: string, id: string): Promise<{ answer: Promise<string> }> => {
  const headers = { 'x-request-id': id, expect: '100-continue' };
  const outgoing = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent: false });
  const answer = once(outgoing, 'response').then(
    async ([response]) => (await readAnswer(response as IncomingMessage)).body,
  );
  await once(outgoing, 'continue');
  outgoing.end();
  return { answer };
};

describe('the nestjs-cls example', () => {
  it('keeps the store of a request in flight at SIGTERM, and runs a shutdown task in a new store', async () => {
    const answers = Promise.all([send('GET', '/orders', 'A'), send('GET', '/orders', 'B')]);
    await warehouse.arrived(2);

    app.kill('SIGTERM');
    await app.line(/waiting for service-requests-done/);
    warehouse.release();

    expect(await answers).toEqual(['list for A', 'list for B']);
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(app.output).toContain('store outside of run(): false');
    expect(app.output).toContain('goodbye from shutdown');
    expect(app.lines(/WARN|ERROR/)).toEqual([]);
  });

  it('gives an actor the id of the message when the handler opens a store, even during the drain', async () => {
    const first = send('POST', '/orders/book', 'A');
    await warehouse.arrived();
    const second = await sendAccepted('POST', '/orders/pen', 'B');

    app.kill('SIGTERM');
    await app.line(/waiting for service-requests-done/);
    warehouse.release();

    expect(await Promise.all([first, second.answer])).toEqual(['book for A', 'pen for B']);
    expect(await app.end()).toEqual({ code: 0, signal: null });
  });

  // Documents today's behaviour. To be changed when actors carry the context of the sender.
  it('runs a handler that opens no store in the context of the caller that woke the actor', async () => {
    const first = send('GET', '/orders/book', 'A');
    await warehouse.arrived();
    const second = await sendAccepted('GET', '/orders/pen', 'B');
    warehouse.release();

    expect(await Promise.all([first, second.answer])).toEqual(['book for A', 'pen for A']);
  });
});
