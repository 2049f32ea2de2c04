import assert from 'node:assert/strict';
import { LostRequestError } from '../clients/client.js';
import { before } from '../deadline.js';
import type { DrainCase } from '../drain-case.js';
import { everywhere } from '../variants.js';

const drain = { maxWaitMs: 1_500 };

export const stuckCases: readonly DrainCase[] = [
  {
    name: 'a stuck request does not delay others, is cut off and named, and the exit code reports it',
    appliesTo: everywhere,
    async run(subject) {
      const app = await subject.launch({ drain });
      const stuck = (await app.connect()).begin('GET', '/hang?token=secret');
      await app.process.line(/^at:hang$/);
      const held = await app.holdRequest();
      app.kill();
      await app.untilRefusing();
      app.go();
      assert.equal((await before(held.answer, 'the answer to the good one')).status, 200);
      assert.doesNotMatch(app.process.output, /Cut off/);
      await assert.rejects(before(stuck.answer, 'the end of the stuck one'), LostRequestError);
      await app.exits(1);
      assert.match(app.process.output, /Cut off after waiting .*: GET \/hang \(/);
      assert.doesNotMatch(app.process.output, /secret/);
    },
  },
  {
    name: 'a stuck upload is cut off and named',
    appliesTo: everywhere,
    async run(subject) {
      const app = await subject.launch({ drain });
      const client = await app.connect();
      const headers = { 'content-type': 'application/octet-stream', 'content-length': '3000' };
      const upload = client.begin('POST', '/upload', headers);
      upload.write('x'.repeat(1000));
      await app.process.line(/^at:upload$/);
      app.kill();
      await assert.rejects(before(upload.answer, 'the end of the upload'), LostRequestError);
      await app.exits(1);
      assert.match(app.process.output, /Cut off after waiting .*: POST \/upload \(/);
    },
  },
  {
    name: 'exit code and log distinguish a clean shutdown from a forced one',
    appliesTo: everywhere,
    async run(subject) {
      const clean = await subject.launch({ drain });
      const forced = await subject.launch({ drain });
      const held = await clean.holdRequest();
      (await forced.connect()).begin('GET', '/hang');
      await forced.process.line(/^at:hang$/);
      clean.kill();
      forced.kill();
      await clean.untilRefusing();
      clean.go();
      assert.equal((await held.answer).status, 200);
      await clean.exits(0);
      await forced.exits(1);
      assert.match(clean.process.output, /all requests have been answered: \d+ since startup/);
      assert.doesNotMatch(clean.process.output, /Cut off/);
      assert.match(forced.process.output, /Cut off/);
      assert.doesNotMatch(forced.process.output, /all requests have been answered/);
    },
  },
];
