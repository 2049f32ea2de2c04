import assert from 'node:assert/strict';
import { before } from '../deadline.js';
import type { DrainCase } from '../drain-case.js';
import type { Subject } from '../subject.js';
import { overPlainHttp } from '../variants.js';
import { untilSecondPress } from '../../../support/second-press.js';

/** Sends a second signal, which demands an immediate exit. */
async function exitsNow(subject: Subject, first: NodeJS.Signals, second: NodeJS.Signals, code: number): Promise<void> {
  const app = await subject.launch();
  (await app.connect()).begin('GET', '/hang');
  await app.process.line(/^at:hang$/);
  app.kill(first);
  await app.untilRefusing();
  if (first === second) await untilSecondPress();
  app.kill(second);
  await app.exits(code);
}

export const signalCases: readonly DrainCase[] = [
  {
    name: 'a second SIGINT ends the process immediately with code 130',
    appliesTo: overPlainHttp,
    run: (subject) => exitsNow(subject, 'SIGINT', 'SIGINT', 130),
  },
  {
    name: 'SIGINT after SIGTERM ends the process immediately with code 130',
    appliesTo: overPlainHttp,
    run: (subject) => exitsNow(subject, 'SIGTERM', 'SIGINT', 130),
  },
  {
    name: 'a second SIGTERM changes nothing: the in-flight request is served',
    appliesTo: overPlainHttp,
    async run(subject) {
      const app = await subject.launch();
      const held = await app.holdRequest();
      app.kill();
      await app.untilRefusing();
      app.kill();
      await app.untilRefusing();
      await app.finishes(held);
    },
  },
  {
    name: 'a hook that throws does not stop the others, and the exit code reports it',
    appliesTo: overPlainHttp,
    async run(subject) {
      const app = await subject.launch({ throwingHook: true });
      const held = await app.holdRequest();
      app.kill();
      await app.untilRefusing();
      app.go();
      assert.equal((await before(held.answer, 'the request in flight')).status, 200);
      await app.exits(1);
      assert.match(app.process.output, /the hook failed/);
      assert.match(app.process.output, /^last hook$/m);
    },
  },
  {
    name: 'a leaked handle does not keep the process alive',
    appliesTo: overPlainHttp,
    async run(subject) {
      const app = await subject.launch({ leak: true });
      app.kill();
      await app.exits();
      assert.match(app.process.output, /^last hook$/m);
    },
  },
];
