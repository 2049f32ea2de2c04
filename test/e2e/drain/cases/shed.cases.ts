import assert from 'node:assert/strict';
import type { Answer } from '../clients/client.js';
import { before } from '../deadline.js';
import type { DrainApp } from '../drain-app.js';
import type { DrainCase } from '../drain-case.js';
import type { AppPlan, Subject } from '../subject.js';
import { everywhere, overHttp1 } from '../variants.js';

/** Runs the body while one request is held and all new ones are refused, then lets the application stop. */
async function whileDraining(
  subject: Subject,
  plan: AppPlan,
  body: (app: DrainApp, refusal: Answer) => Promise<void>,
  prepare: (app: DrainApp) => Promise<void> = async () => undefined,
): Promise<void> {
  const app = await subject.launch(plan);
  await prepare(app);
  const held = await app.holdRequest();
  app.kill();
  const refusal = await app.untilRefusing();
  await body(app, refusal);
  await app.finishes(held);
}

const assertRefusal = ({ status, headers, body }: Answer): void => {
  assert.equal(status, 503);
  assert.equal(headers['retry-after'], '5');
  assert.equal(headers['content-type'], 'application/json; charset=utf-8');
  assert.deepEqual(JSON.parse(body), { statusCode: 503, message: 'Service Unavailable' });
};

export const shedCases: readonly DrainCase[] = [
  {
    name: 'a new request on a fresh connection gets 503 with Retry-After and a JSON body',
    appliesTo: everywhere,
    run: (subject) => whileDraining(subject, {}, async (_app, refusal) => assertRefusal(refusal)),
  },
  {
    name: 'a new request gets 503 with Connection: close on fresh and keep-alive connections, which are then closed',
    appliesTo: overHttp1,
    async run(subject) {
      const app = await subject.launch();
      const keptAlive = await app.raw();
      assert.equal((await keptAlive.get('/hello')).status, 200);
      const held = await app.holdRequest();
      app.kill();
      await app.untilRefusing();
      for (const connection of [keptAlive, await app.raw()]) {
        const refusal = await before(connection.get('/hello'), 'the refusal');
        assertRefusal(refusal);
        assert.equal(refusal.headers.connection, 'close');
        assert.equal(await before(connection.closed, 'the end of the connection'), 'end');
        assert.equal(connection.unread, '');
      }
      await app.finishes(held);
    },
  },
  {
    name: 'a refused request is answered as the options say',
    appliesTo: everywhere,
    async run(subject) {
      const shedResponse = { status: 529, contentType: 'text/plain', body: 'höher' };
      await whileDraining(subject, { drain: { shedResponse, retryAfterSeconds: 17 } }, async (_app, refusal) => {
        assert.equal(refusal.status, 529);
        assert.equal(refusal.headers['retry-after'], '17');
        assert.equal(refusal.headers['content-type'], 'text/plain');
        assert.equal(Buffer.from(refusal.body, 'latin1').toString(), 'höher');
      });
    },
  },
  {
    name: 'exempt paths and marked routes are served while others are refused',
    appliesTo: everywhere,
    async run(subject) {
      await whileDraining(subject, { drain: { exempt: ['/slow'] } }, async (app) => {
        for (const path of ['/slow?ms=1', '/status']) {
          assert.equal((await app.get(path)).status, 200, `${path} is exempt`);
        }
        assert.equal((await app.get('/resource')).status, 503, '/resource is not exempt');
      });
    },
  },
  {
    name: 'a refused request does not reach its handler, and is answered once',
    appliesTo: overHttp1,
    async run(subject) {
      await whileDraining(subject, {}, async (app) => {
        const connection = await app.raw();
        assert.equal((await before(connection.get('/traced'), 'the refusal')).status, 503);
        await before(connection.closed, 'the end of the connection');
        assert.equal(connection.unread, '', 'more than one answer');
        assert.deepEqual(app.process.lines(/at:traced|ERR_|Error/), []);
      });
    },
  },
  {
    name: 'lame duck: requests are served with Connection: close while readiness is down, then refused',
    appliesTo: overHttp1,
    async run(subject) {
      const app = await subject.launch({ drain: { lameDuckMs: 2_500 } });
      const held = await app.holdRequest();
      app.kill();
      await app.process.line(/shutdown started/);
      assert.equal((await app.get('/health/ready')).status, 503);
      const served = await app.get('/hello');
      assert.deepEqual([served.status, served.headers.connection], [200, 'close']);
      await app.untilRefusing();
      await app.finishes(held);
    },
  },
];
