import assert from 'node:assert/strict';
import { once } from 'node:events';
import { before } from '../deadline.js';
import type { DrainCase } from '../drain-case.js';
import { overHttp2 } from '../variants.js';

const ANY_STREAM = 2 ** 31 - 1;

export const http2Cases: readonly DrainCase[] = [
  {
    name: 'h2: GOAWAY is sent without a last stream, then with the real one; the session closes after its streams',
    appliesTo: overHttp2,
    async run(subject) {
      const app = await subject.launch();
      const client = await app.http2();
      const names = ['one', 'two', 'three'];
      const held = [];
      for (const name of names) held.push(await app.holdRequest(name, client));
      app.kill();
      while (client.goaways.length < 2) await before(once(client.session, 'goaway'), 'two GOAWAY frames');
      assert.deepEqual(client.goaways, [ANY_STREAM, 5]);
      for (const name of names.reverse()) app.go(name);
      for (const { answer } of held) assert.equal((await before(answer, 'the answer')).status, 200);
      assert.equal(await before(client.closed, 'the end of the session'), 'end');
      await app.exits();
    },
  },
  {
    name: 'h2: idle sessions get GOAWAY, close without an error and do not delay the exit',
    appliesTo: overHttp2,
    async run(subject) {
      const app = await subject.launch();
      const used = await app.http2();
      assert.equal((await used.get('/hello')).status, 200);
      const unused = await app.http2();
      app.kill();
      for (const client of [used, unused]) {
        assert.equal(await before(client.closed, 'the end of the session'), 'end');
        assert.equal(client.goaways[0], ANY_STREAM);
      }
      await app.exits();
    },
  },
  {
    name: 'h2: a stuck stream does not affect the other streams of its session',
    appliesTo: overHttp2,
    async run(subject) {
      const app = await subject.launch({ drain: { maxWaitMs: 1_500 } });
      const client = await app.http2();
      const stuck = client.begin('GET', '/hang');
      await app.process.line(/^at:hang$/);
      const held = await app.holdRequest('request', client);
      app.kill();
      await app.untilRefusing();
      app.go();
      assert.equal((await before(held.answer, 'the answer to the good one')).status, 200);
      await assert.rejects(before(stuck.answer, 'the end of the stuck one'));
      await app.exits(1);
      assert.match(app.process.output, /Cut off after waiting .*: GET \/hang \(/);
    },
  },
];
