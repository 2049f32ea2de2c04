import assert from 'node:assert/strict';
import { setTimeout as after } from 'node:timers/promises';
import { before } from '../deadline.js';
import type { DrainCase } from '../drain-case.js';
import { everywhere, overHttp1 } from '../variants.js';

const BYTES = 'application/octet-stream';
const MIB = 1024 * 1024;

export const bodyCases: readonly DrainCase[] = [
  {
    name: 'an upload in progress is received completely and answered',
    appliesTo: everywhere,
    async run(subject) {
      const app = await subject.launch();
      const client = await app.connect();
      const upload = client.begin('POST', '/upload', { 'content-type': BYTES, 'content-length': '3000' });
      upload.write('x'.repeat(1000));
      await app.process.line(/^at:upload$/);
      app.kill();
      await app.untilRefusing();
      upload.write('x'.repeat(1000));
      await app.untilRefusing();
      upload.write('x'.repeat(1000));
      upload.end();
      const { status, body } = await before(upload.answer, 'the answer to the upload');
      assert.deepEqual([status, body], [201, '3000']);
      await app.exits();
    },
  },
  {
    name: 'a client that got 100 Continue before the drain can send its body',
    appliesTo: overHttp1,
    async run(subject) {
      const app = await subject.launch();
      const connection = await app.raw();
      const headers = { 'content-type': BYTES, 'content-length': '5', expect: '100-continue' };
      const upload = connection.begin('POST', '/upload', headers);
      const final = connection.answer('POST /upload');
      assert.equal((await before(upload.answer, '100 Continue')).status, 100);
      await app.process.line(/^at:upload$/);
      app.kill();
      await app.untilRefusing();
      connection.write('12345');
      const { status, body } = await before(final, 'the answer to the upload');
      assert.deepEqual([status, body], [201, '5']);
      await app.exits();
    },
  },
  {
    name: 'a client that expects 100 Continue during the drain gets 503 instead',
    appliesTo: overHttp1,
    async run(subject) {
      const app = await subject.launch();
      const held = await app.holdRequest();
      app.kill();
      await app.untilRefusing();
      const connection = await app.raw();
      const headers = { 'content-type': BYTES, 'content-length': '5', expect: '100-continue' };
      const { status, headers: answered } = await before(
        connection.begin('POST', '/upload', headers).answer,
        'the refusal',
      );
      assert.deepEqual([status, answered.connection], [503, 'close']);
      await app.finishes(held);
      assert.deepEqual(app.process.lines(/^at:upload$/), []);
    },
  },
  {
    name: 'a stream of 20 chunks is sent completely',
    appliesTo: everywhere,
    async run(subject) {
      const app = await subject.launch();
      const client = await app.connect();
      const stream = client.begin('GET', '/stream?chunks=20&ms=25');
      await app.process.line(/^at:stream$/);
      app.kill();
      const { status, body } = await before(stream.answer, 'the stream');
      assert.equal(status, 200);
      assert.equal(body, Array.from({ length: 20 }, (_, n) => `chunk ${n}\n`).join(''));
      await app.exits();
    },
  },
  {
    name: 'a slow reader gets a large response completely',
    appliesTo: everywhere,
    async run(subject) {
      const app = await subject.launch();
      const client = await app.connect();
      // More than the operating system buffers, so that the rest waits in the process.
      const big = client.begin('GET', '/big?mb=32');
      big.pause();
      await app.process.line(/^at:big$/);
      app.kill();
      await app.untilRefusing();
      await app.untilRefusing();
      big.resume();
      for (let n = 0; n < 5; n++) {
        await after(10);
        big.pause();
        await after(20);
        big.resume();
      }
      const { status, body } = await before(big.answer, 'the big response');
      assert.equal(status, 200);
      assert.equal(body.length, 32 * MIB);
      await app.exits();
    },
  },
  {
    name: 'a client whose upload is refused can read the 503 while it is still sending',
    appliesTo: everywhere,
    async run(subject) {
      const app = await subject.launch();
      const held = await app.holdRequest();
      app.kill();
      await app.untilRefusing();
      const client = await app.connect();
      const length = 20 * 64 * 1024;
      const upload = client.begin('POST', '/upload', { 'content-type': BYTES, 'content-length': String(length) });
      // Imitates a client that reads only after it has sent everything.
      upload.pause();
      for (let n = 0; n < 20; n++) {
        upload.write('x'.repeat(64 * 1024));
        await after(5);
      }
      upload.end();
      upload.resume();
      assert.equal((await before(upload.answer, 'the refusal of the upload')).status, 503);
      await app.finishes(held);
      assert.deepEqual(app.process.lines(/^at:upload$/), []);
    },
  },
  {
    name: 'an endless stream ends when its drain signal aborts',
    appliesTo: everywhere,
    async run(subject) {
      const app = await subject.launch();
      const client = await app.connect();
      const events = client.begin('GET', '/events');
      await app.process.line(/^at:events$/);
      app.kill();
      const { status, body } = await before(events.answer, 'the end of the stream');
      assert.equal(status, 200);
      assert.equal(body, 'data: begun\n\ndata: over\n\n');
      await app.exits();
    },
  },
];
