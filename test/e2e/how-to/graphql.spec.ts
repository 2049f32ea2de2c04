import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { deferred } from '@roost/kernel';
import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { AppProcess } from '../../support/app-process.js';
import { type Answer, postJson } from '../../support/http-client.js';
import { startPage } from '../../support/page-program.js';
import { Upstream } from '../../support/upstream.js';

const { jest } = import.meta;
const PAGE = 'docs/how-to/graphql.md';
const GOING_AWAY = { code: 1001, reason: 'service is stopping' };
jest.setTimeout(30_000);

let warehouse: Upstream;
beforeEach(async () => void (warehouse = await Upstream.start()));
afterEach(async () => {
  await AppProcess.killAll();
  await warehouse.stop();
});

const run = (port: number, query: string): Promise<Answer> => postJson(port, '/graphql', { query });

/** A graphql-ws client that does not reconnect, and the event of its end. */
const connectTo = (port: number): { client: Client; closed: Promise<unknown> } => {
  const closed = deferred<unknown>();
  const client = createClient({
    url: `ws://127.0.0.1:${port}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    on: { closed: closed.resolve },
  });
  return { client, closed: closed.promise };
};

describe('the GraphQL example', () => {
  it('finishes the mutation in flight at SIGTERM and closes subscriptions with 1001', async () => {
    const { app, port } = await startPage(PAGE, { env: { WAREHOUSE_URL: warehouse.url } });
    expect((await run(port, '{ stock }')).body).toBe('{"data":{"stock":10}}\n');
    const { client, closed } = connectTo(port);
    const changes = client.iterate({ query: 'subscription { stockChanges }' });
    expect((await changes.next()).value).toEqual({ data: { stockChanges: 10 } });
    const inFlight = run(port, 'mutation { take(count: 3) }');
    await warehouse.arrived();

    app.kill('SIGTERM');
    expect(await closed).toMatchObject(GOING_AWAY);
    await app.line(/waiting for service-requests-done/);
    expect((await run(port, '{ stock }')).status).toBe(503);
    const upgrade = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws');
    const [, response] = (await once(upgrade, 'unexpected-response')) as [unknown, IncomingMessage];
    expect(response.statusCode).toBe(503);
    warehouse.release();

    expect(await inFlight).toMatchObject({ status: 200, body: '{"data":{"take":7}}\n' });
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(app.lines(/WARN|ERROR/)).toEqual([]);
  });

  it('does not wait for a mutation that came over the WebSocket', async () => {
    const { app, port } = await startPage(PAGE, { env: { WAREHOUSE_URL: warehouse.url } });
    const { client, closed } = connectTo(port);
    const result = client.iterate({ query: 'mutation { take(count: 3) }' }).next();
    result.catch(() => undefined);
    await warehouse.arrived();

    app.kill('SIGTERM');

    expect(await closed).toMatchObject(GOING_AWAY);
    await expect(result).rejects.toMatchObject(GOING_AWAY);
    expect(await app.end()).toEqual({ code: 0, signal: null });
  });
});
