import assert from 'node:assert/strict';
import type { DrainCase } from '../drain-case.js';
import type { Endpoint } from '../clients/client.js';
import type { Subject } from '../subject.js';
import { overPlainHttp } from '../variants.js';
import { untilSecondPress } from '../../../support/second-press.js';

async function stopsDuringBoot(subject: Subject, signal: NodeJS.Signals): Promise<void> {
  const app = subject.start({ slowBoot: true });
  await app.process.line(/^at:boot$/);
  app.kill(signal);
  await app.process.line(/during boot/);
  app.go('boot');
  await app.exits();
  assert.deepEqual(app.process.lines(/^port /), [], 'it listened after the stop request');
  assert.match(app.process.output, /^resource closed$/m);
}

export const bootCases: readonly DrainCase[] = [
  {
    name: 'SIGTERM during bootstrap closes the created providers, and the application never listens',
    appliesTo: overPlainHttp,
    run: (subject) => stopsDuringBoot(subject, 'SIGTERM'),
  },
  {
    name: 'SIGINT during bootstrap closes the created providers, and the application never listens',
    appliesTo: overPlainHttp,
    run: (subject) => stopsDuringBoot(subject, 'SIGINT'),
  },
  {
    name: 'a second SIGINT during bootstrap ends the process immediately with code 130',
    appliesTo: overPlainHttp,
    async run(subject) {
      const app = subject.start({ slowBoot: true });
      await app.process.line(/^at:boot$/);
      app.kill('SIGINT');
      await app.process.line(/during boot/);
      await untilSecondPress();
      app.kill('SIGINT');
      await app.exits(130);
    },
  },
  {
    name: 'not ready before the bootstrap is complete, but alive all the time',
    appliesTo: overPlainHttp,
    async run(subject) {
      const app = subject.start({ slowBoot: true, probePort: 0 });
      const port = Number(/:(\d+)\/health/.exec(await app.process.line(/probes on http:/))![1]);
      const probes: Endpoint = { host: '127.0.0.1', port, scheme: 'http' };
      const statuses = () =>
        Promise.all(
          ['live', 'ready', 'startup'].map(async (name) => (await app.get(`/health/${name}`, probes)).status),
        );
      await app.process.line(/^at:boot$/);
      assert.deepEqual(await statuses(), [200, 503, 503], 'while it boots');
      app.go('boot');
      await app.process.line(/^ready$/);
      assert.deepEqual(await statuses(), [200, 200, 200], 'when it has booted');
      const held = await app.holdRequest();
      app.kill();
      await app.untilRefusing();
      assert.deepEqual(await statuses(), [200, 503, 200], 'while it drains');
      await app.finishes(held);
    },
  },
];
