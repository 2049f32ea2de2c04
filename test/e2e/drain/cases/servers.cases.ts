import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { before } from '../deadline.js';
import type { DrainCase } from '../drain-case.js';
import { overHttp1, overPlainHttp } from '../variants.js';

const hasIpv6Loopback = (): boolean =>
  Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === '::1'));

export const serverCases: readonly DrainCase[] = [
  {
    name: 'two servers of one application: in-flight requests on both are served, new ones on both refused',
    appliesTo: ({ adapter, scheme }) => adapter === 'express' && scheme === 'http',
    async run(subject) {
      const app = await subject.launch({ secondServer: true });
      const second = app.endpoint('second ');
      const held = await app.holdRequest();
      const heldBySecond = await app.holdRequest('second', await app.connect(second));
      app.kill();
      await app.untilRefusing();
      app.go();
      assert.equal((await before(held.answer, 'the request to the first')).status, 200);
      // The first server is idle by now, but both stop together.
      await app.untilRefusing();
      await app.untilRefusing(second);
      await app.finishes(heldBySecond, 'second');
    },
  },
  {
    name: 'Fastify on localhost: in-flight requests on 127.0.0.1 and on ::1 are served, new ones refused',
    appliesTo: (variant) => variant.adapter === 'fastify' && overHttp1(variant) && hasIpv6Loopback(),
    async run(subject) {
      const app = await subject.launch({ host: 'localhost' });
      const endpoints = ['127.0.0.1', '::1'].map((host) => ({ ...app.endpoint(), host }));
      const held = [];
      for (const endpoint of endpoints) held.push(await app.holdRequest(endpoint.host, await app.connect(endpoint)));
      app.kill();
      for (const endpoint of endpoints) await app.untilRefusing(endpoint);
      for (const [n, { host }] of endpoints.entries()) {
        app.go(host);
        assert.equal((await before(held[n]!.answer, `the request to ${host}`)).status, 200);
      }
      await app.exits();
    },
  },
  {
    name: 'two applications in one process: one is drained and closed while the other keeps serving',
    appliesTo: overPlainHttp,
    async run(subject) {
      const app = await subject.launch({ secondApp: true });
      const second = app.endpoint('second ');
      const held = await app.holdRequest();
      const keptAlive = await app.connect(second);
      assert.equal((await keptAlive.get('/hello')).status, 200);
      app.process.send('close first');
      await app.untilRefusing();
      const { status, headers } = await keptAlive.get('/hello');
      assert.equal(status, 200);
      assert.notEqual(headers.connection, 'close');
      app.go();
      assert.equal((await before(held.answer, 'the request to the first')).status, 200);
      await app.process.line(/^first closed$/);
      await assert.rejects(app.get('/hello'), 'the first one is closed');
      assert.equal((await keptAlive.get('/hello')).status, 200);
      assert.equal((await app.get('/health/ready', second)).status, 200);
      const heldBySecond = await app.holdRequest('second', keptAlive);
      app.kill();
      await app.untilRefusing(second);
      await app.finishes(heldBySecond, 'second');
    },
  },
];
