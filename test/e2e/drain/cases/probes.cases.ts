import assert from 'node:assert/strict';
import { before } from '../deadline.js';
import type { DrainCase } from '../drain-case.js';
import type { DrainApp } from '../drain-app.js';
import { everywhere } from '../variants.js';

async function statusOf(app: DrainApp, method: 'GET' | 'HEAD', probe: string): Promise<number> {
  const client = await app.connect();
  const { status, body } = await before(client.begin(method, `/health/${probe}`).answer, `${method} ${probe}`);
  assert.equal(method === 'HEAD', body === '', `${method} has ${body ? 'a' : 'no'} body`);
  client.destroy();
  return status;
}

async function statuses(app: DrainApp): Promise<Record<string, number>> {
  const all: Record<string, number> = {};
  for (const probe of ['live', 'ready', 'startup']) {
    for (const method of ['GET', 'HEAD'] as const) all[`${method} ${probe}`] = await statusOf(app, method, probe);
  }
  return all;
}

const expected = (live: number, ready: number, startup: number): Record<string, number> => ({
  'GET live': live,
  'HEAD live': live,
  'GET ready': ready,
  'HEAD ready': ready,
  'GET startup': startup,
  'HEAD startup': startup,
});

export const probeCases: readonly DrainCase[] = [
  {
    name: 'probes are correct for GET and HEAD before and during the drain, while other requests are refused',
    appliesTo: everywhere,
    async run(subject) {
      const app = await subject.launch();
      assert.deepEqual(await statuses(app), expected(200, 200, 200));
      const held = await app.holdRequest();
      app.kill();
      await app.untilRefusing();
      assert.deepEqual(await statuses(app), expected(200, 503, 200));
      const { body, headers } = await app.get('/health/ready');
      assert.equal(headers['retry-after'], undefined, 'readiness was refused as any other request');
      assert.equal((JSON.parse(body) as { error: { shutdown: { inFlight: number } } }).error.shutdown.inFlight, 1);
      await app.finishes(held);
    },
  },
];
