import assert from 'node:assert/strict';
import { before } from '../deadline.js';
import type { DrainCase } from '../drain-case.js';
import { overHttp1 } from '../variants.js';

const line = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`;

export const pipeliningCases: readonly DrainCase[] = [
  {
    name: '3 pipelined requests are served in order, and only the last response has Connection: close',
    appliesTo: overHttp1,
    async run(subject) {
      const app = await subject.launch();
      const other = await app.holdRequest('other');
      const connection = await app.raw();
      connection.write(line('/gate?name=first') + line('/slow?ms=1') + line('/traced'));
      await app.process.line(/^at:first$/);
      await app.process.line(/^at:traced$/);
      app.kill();
      await app.untilRefusing();
      app.go('first');
      const closing: boolean[] = [];
      for (const text of ['gate', 'slow', 'traced']) {
        const { status, headers, body } = await before(connection.answer(text), `the answer ${text}`);
        assert.deepEqual([status, body], [200, text]);
        closing.push(headers.connection === 'close');
      }
      // The later responses were complete, with their headers, before the drain began.
      assert.deepEqual(closing.slice(0, 2), [false, false]);
      assert.equal(await before(connection.closed, 'the end of the connection'), 'end');
      await app.finishes(other, 'other');
    },
  },
  {
    name: 'several in-flight pipelined requests: only the last response has Connection: close',
    appliesTo: overHttp1,
    async run(subject) {
      const app = await subject.launch();
      const connection = await app.raw();
      connection.write(line('/gate?name=first') + line('/gate?name=second') + line('/gate?name=third'));
      for (const name of ['first', 'second', 'third']) await app.process.line(new RegExp(`^at:${name}$`));
      app.kill();
      await app.untilRefusing();
      // Out of order: a response waits for the ones before it.
      for (const name of ['third', 'first', 'second']) app.go(name);
      const closing: boolean[] = [];
      for (const name of ['first', 'second', 'third']) {
        const { status, headers } = await before(connection.answer(name), `the answer to the ${name}`);
        assert.equal(status, 200);
        closing.push(headers.connection === 'close');
      }
      assert.deepEqual(closing, [false, false, true]);
      assert.equal(await before(connection.closed, 'the end of the connection'), 'end');
      await app.exits();
    },
  },
  {
    name: 'a request pipelined behind an in-flight one is refused after that one has been served',
    appliesTo: overHttp1,
    async run(subject) {
      const app = await subject.launch();
      const connection = await app.raw();
      const held = await app.holdRequest('request', connection);
      app.kill();
      await app.untilRefusing();
      connection.write(line('/hello'));
      const late = connection.answer('GET /hello');
      // After a complete exchange on another connection, this request has certainly been read.
      assert.equal((await app.get('/hello')).status, 503);
      app.go();
      const first = await before(held.answer, 'the answer to the first');
      assert.deepEqual([first.status, first.body], [200, 'gate']);
      assert.equal((await before(late, 'the refusal')).status, 503);
      await app.exits();
    },
  },
];
