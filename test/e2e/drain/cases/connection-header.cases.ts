import assert from 'node:assert/strict';
import { before } from '../deadline.js';
import type { DrainCase } from '../drain-case.js';
import { overHttp1 } from '../variants.js';

/** Node's keep-alive timeout, after which it closes an idle connection. */
const KEEP_ALIVE_MS = 5_000;

export const connectionHeaderCases: readonly DrainCase[] = [
  {
    name: 'no response has Connection: close before the drain',
    appliesTo: overHttp1,
    async run(subject) {
      const app = await subject.launch();
      const connection = await app.raw();
      for (let n = 0; n < 5; n++) {
        const { status, headers } = await connection.get('/hello');
        assert.equal(status, 200);
        assert.notEqual(headers.connection, 'close');
      }
      app.kill();
      await app.exits();
    },
  },
  {
    name: 'a response whose headers were not sent gets Connection: close, and the connection is closed',
    appliesTo: overHttp1,
    async run(subject) {
      const app = await subject.launch();
      const other = await app.holdRequest('other');
      const held = await app.holdRequest();
      app.kill();
      await app.untilRefusing();
      app.go();
      const { status, headers } = await before(held.answer, 'the answer');
      assert.deepEqual([status, headers.connection], [200, 'close']);
      // The other request keeps the process alive, so the connection is not closed by the exit.
      assert.equal(await before(held.client.closed, 'the end of the connection'), 'end');
      await app.finishes(other, 'other');
    },
  },
  {
    name: 'a response whose headers were sent completes, and then the connection is closed',
    appliesTo: overHttp1,
    async run(subject) {
      const app = await subject.launch();
      const other = await app.holdRequest('other');
      const connection = await app.raw();
      const stream = connection.begin('GET', '/stream?chunks=20&ms=20');
      await app.process.line(/^at:stream$/);
      app.kill();
      const { status, headers, body } = await before(stream.answer, 'the stream');
      assert.equal(status, 200);
      assert.notEqual(headers.connection, 'close');
      assert.equal(body, Array.from({ length: 20 }, (_, n) => `chunk ${n}\n`).join(''));
      assert.equal(await before(connection.closed, 'the end of the connection', KEEP_ALIVE_MS / 2), 'end');
      await app.finishes(other, 'other');
    },
  },
];
