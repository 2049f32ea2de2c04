import { AppProcess } from '../../support/app-process.js';
import { type Answer, postJson } from '../../support/http-client.js';
import { MongoResponder } from '../../support/mongo-responder.js';
import { startPage } from '../../support/page-program.js';
import { until } from '../../support/until.js';

const { jest } = import.meta;
const PAGE = 'docs/how-to/mongoose.md';
jest.setTimeout(30_000);

// Not a MongoDB server: see the class.
let mongo: MongoResponder;
beforeEach(async () => void (mongo = await MongoResponder.start()));
afterEach(async () => {
  await AppProcess.killAll();
  await mongo.stop();
});

const placeOrder = (port: number, item: string): Promise<Answer> => postJson(port, '/orders', { item });

describe('the Mongoose example', () => {
  it('stores the order in flight at SIGTERM, then runs the shutdown task, then closes its connections', async () => {
    const { app, port } = await startPage(PAGE, { env: { MONGODB_URL: mongo.url } });
    const answerInserts = mongo.holdInserts();
    const inFlight = placeOrder(port, 'pen');
    await mongo.received('insert');

    app.kill('SIGTERM');
    await app.line(/waiting for service-requests-done/);
    expect(mongo.openConnections).toBeGreaterThan(0);
    expect((await placeOrder(port, 'late')).status).toBe(503);
    answerInserts();

    expect(await inFlight).toMatchObject({ status: 201, body: '{"item":"pen"}' });
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(app.output).toContain('1 orders sold');
    expect(mongo.documents.get('orders')).toMatchObject([{ item: 'pen' }]);
    // A driver that is closed ends its sessions. A process that just exits does not.
    expect(mongo.commands.slice(-3)).toEqual(['insert', 'aggregate', 'endSessions']);
    await until('the end of the connections', () => mongo.openConnections === 0);
    expect(app.lines(/WARN|ERROR/)).toEqual([]);
  });

  it('cuts off an order after maxWaitMs and exits with 1', async () => {
    const { app, port } = await startPage(PAGE, { env: { MONGODB_URL: mongo.url, ROOST_DRAIN_MAX_WAIT_MS: '300' } });
    mongo.holdInserts();
    const inFlight = placeOrder(port, 'pen');
    await mongo.received('insert');

    app.kill('SIGTERM');

    await expect(inFlight).rejects.toThrow('socket hang up');
    expect(await app.end()).toEqual({ code: 1, signal: null });
    expect(mongo.commands).toContain('endSessions');
  });
});
