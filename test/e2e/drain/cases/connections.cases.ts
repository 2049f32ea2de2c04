import assert from 'node:assert/strict';
import { before } from '../deadline.js';
import type { DrainCase } from '../drain-case.js';
import { everywhere, overHttp1 } from '../variants.js';

export const connectionCases: readonly DrainCase[] = [
  {
    name: 'an idle application exits immediately with code 0',
    appliesTo: everywhere,
    async run(subject) {
      const app = await subject.launch();
      app.kill();
      await app.exits();
    },
  },
  {
    name: '10 idle keep-alive connections are closed, not reset, and do not delay the exit',
    appliesTo: everywhere,
    async run(subject) {
      const app = await subject.launch();
      const clients = await Promise.all(Array.from({ length: 10 }, () => app.connect()));
      for (const client of clients) assert.equal((await client.get('/hello')).status, 200);
      app.kill();
      const endings = await before(Promise.all(clients.map(({ closed }) => closed)), 'the ends of the connections');
      assert.deepEqual(new Set(endings), new Set(['end']), 'a connection was reset');
      await app.exits();
    },
  },
  {
    name: 'idle keep-alive connections stay open while another request is in flight',
    appliesTo: overHttp1,
    async run(subject) {
      const app = await subject.launch();
      const idle = await app.raw();
      assert.equal((await idle.get('/hello')).status, 200);
      const held = await app.holdRequest();
      app.kill();
      await app.untilRefusing();
      const late = await before(idle.get('/hello'), 'the answer on an idle connection');
      assert.equal(late.status, 503);
      await app.finishes(held);
    },
  },
  {
    name: 'an in-flight request is served, and the process exits right after it',
    appliesTo: everywhere,
    async run(subject) {
      const app = await subject.launch();
      const held = await app.holdRequest();
      app.kill();
      await app.untilRefusing();
      app.go();
      const { status, body } = await before(held.answer, 'the answer to the request in flight');
      assert.deepEqual({ status, body }, { status: 200, body: 'gate' });
      await app.exits();
    },
  },
  {
    name: 'a connection that never sent data does not delay the exit',
    appliesTo: overHttp1,
    async run(subject) {
      const app = await subject.launch();
      const silent = await app.raw();
      app.kill();
      await before(silent.closed, 'the end of the silent connection');
      await app.exits();
    },
  },
  {
    name: 'a half-sent request does not delay the exit',
    appliesTo: overHttp1,
    async run(subject) {
      const app = await subject.launch();
      const used = await app.raw();
      assert.equal((await used.get('/hello')).status, 200);
      for (const connection of [used, await app.raw()]) connection.write('GET /hello HTTP/1.1\r\nHost: te');
      app.kill();
      await app.exits();
    },
  },
  {
    name: 'a client that abandons its request does not delay the exit',
    appliesTo: everywhere,
    async run(subject) {
      const app = await subject.launch();
      const early = await app.connect();
      early.begin('GET', '/hang');
      const late = await app.connect();
      await app.process.line(/^at:hang$/);
      const held = await app.holdRequest();
      late.begin('GET', '/gate?name=late');
      await app.process.line(/^at:late$/);
      early.destroy();
      app.kill();
      await app.untilRefusing();
      late.destroy();
      await app.finishes(held);
      assert.doesNotMatch(app.process.output, /Cut off/);
    },
  },
  {
    name: 'resources closed in onModuleDestroy are available to the in-flight request',
    appliesTo: everywhere,
    async run(subject) {
      const app = await subject.launch();
      const client = await app.connect();
      const exchange = client.begin('GET', '/resource?ms=300');
      await app.process.line(/^at:resource$/);
      app.kill();
      const { status, body } = await exchange.answer;
      assert.deepEqual({ status, body }, { status: 200, body: 'resource' });
      await app.exits();
      assert.match(app.process.output, /^resource closed$/m);
    },
  },
];
