import assert from 'node:assert/strict';
import { setTimeout as after } from 'node:timers/promises';
import { type Answer, type Client, LostRequestError } from '../clients/client.js';
import { delayProxy } from '../delay-proxy.js';
import { before, PATIENCE_MS } from '../deadline.js';
import type { DrainApp } from '../drain-app.js';
import type { DrainCase } from '../drain-case.js';
import { hammer, Tally } from '../load.js';
import type { Subject } from '../subject.js';
import { everywhere, overHttp1 } from '../variants.js';

const CLIENTS = 16;
/** Time for requests on the wire. The test machine may be slower than a network. */
const drain = { settleMs: 1_000 };
const path = (): string => (Math.random() < 0.5 ? '/hello' : `/slow?ms=${Math.ceil(Math.random() * 40)}`);

/** Waits until the clients have received this many more responses. */
async function moreAnswers(tally: Tally, count: number): Promise<void> {
  const goal = tally.answered + count;
  const deadline = Date.now() + PATIENCE_MS;
  while (tally.answered < goal && Date.now() < deadline) await after(5);
  assert(tally.answered >= goal, `waited for ${count} more answers; ${tally.toString()}`);
}

/** Runs clients that never let up, from before the signal until after the exit. */
async function underLoad(subject: Subject, signal: NodeJS.Signals): Promise<void> {
  const app = await subject.launch({ drain });
  const held = await app.holdRequest();
  const tally = new Tally();
  const stop = new AbortController();
  const endpoint = app.endpoint();
  const load = Array.from({ length: CLIENTS }, (_, n) =>
    hammer({ endpoint, tally, path, fresh: n % 4 === 3, stop: stop.signal }),
  );
  try {
    await moreAnswers(tally, 100);
    app.kill(signal);
    await app.untilRefusing();
    await moreAnswers(tally, 100);
    assert.deepEqual(tally.refused, [], 'connections were refused while a request was in flight');
    await app.finishes(held);
  } finally {
    stop.abort();
  }
  await before(Promise.all(load), 'the clients to stop');
  assert.deepEqual(tally.wrong, [], `requests were lost under load (${tally.toString()})`);
  assert(tally.byStatus.get(200)! > 0 && tally.byStatus.get(503)! > 0, tally.toString());
}

/** Returns undefined when the server reports that it did not process the request, which only HTTP/2 can do. */
async function answerTo(client: Client): Promise<Answer | undefined> {
  try {
    return await client.get('/slow?ms=20');
  } catch (error) {
    if (error instanceof LostRequestError && error.isUntouched) return undefined;
    throw error;
  }
}

/** Sends many requests at the moment of the signal: half on idle connections, half on new ones. */
async function burst(subject: Subject): Promise<void> {
  const app = await subject.launch({ drain });
  const idle = await Promise.all(Array.from({ length: 25 }, () => app.connect()));
  for (const { status } of await Promise.all(idle.map((client) => client.get('/hello')))) assert.equal(status, 200);
  app.kill();
  const fresh = Array.from({ length: 25 }, async () => {
    // A client without a connection has sent nothing.
    const client = await app.connect().catch(() => undefined);
    return client && answerTo(client);
  });
  const answers = await Promise.all([...idle.map(answerTo), ...fresh]);
  for (const answer of answers) assert(!answer || [200, 503].includes(answer.status), `status ${answer?.status}`);
  await app.exits();
}

/** Each client uses one connection until the server asks it to leave. */
async function behindDelay(subject: Subject): Promise<void> {
  const app = await subject.launch({ drain: { settleMs: 300 } });
  const proxy = await delayProxy(app.endpoint().port);
  try {
    const tally = new Tally();
    const stop = new AbortController();
    const endpoint = { ...app.endpoint(), port: proxy.port };
    const load = Array.from({ length: 24 }, () =>
      hammer({ endpoint, tally, path: () => '/hello', once: true, stop: stop.signal }),
    );
    try {
      await moreAnswers(tally, 100);
      app.kill();
      await app.exits();
      await before(Promise.all(load), 'the clients to notice');
    } finally {
      stop.abort();
    }
    assert.deepEqual(tally.wrong, [], `requests were lost over a slow network (${tally.toString()})`);
  } finally {
    await proxy.close();
  }
}

/** Runs clients that ignore the server's responses and keep sending. */
async function relentless(subject: Subject): Promise<void> {
  const app = await subject.launch();
  const held = await app.holdRequest();
  app.kill();
  await app.untilRefusing();
  const stop = new AbortController();
  const floods = Array.from({ length: 4 }, () => flood(app, stop.signal));
  const tally = new Tally();
  const load = Array.from({ length: 8 }, () => hammer({ endpoint: app.endpoint(), tally, path, stop: stop.signal }));
  try {
    await moreAnswers(tally, 50);
    await app.finishes(held);
  } finally {
    stop.abort();
  }
  await before(Promise.all([...floods, ...load]), 'the clients to stop');
}

async function flood(app: DrainApp, stop: AbortSignal): Promise<void> {
  const endpoint = app.endpoint();
  while (!stop.aborted) {
    const connection = await app.raw(endpoint).catch(() => undefined);
    if (!connection) return;
    const timer = setInterval(() => connection.write('GET /hello HTTP/1.1\r\nHost: test\r\n\r\n'), 1);
    await connection.closed;
    clearInterval(timer);
  }
}

export const loadCases: readonly DrainCase[] = [
  {
    name: 'SIGTERM under load: no request is lost, and no connection is refused while a request is in flight',
    appliesTo: everywhere,
    run: (subject) => underLoad(subject, 'SIGTERM'),
  },
  {
    name: 'SIGINT under load: no request is lost, and no connection is refused while a request is in flight',
    appliesTo: everywhere,
    run: (subject) => underLoad(subject, 'SIGINT'),
  },
  { name: 'a burst of requests at the moment of the signal is answered', appliesTo: everywhere, run: burst },
  {
    name: '24 keep-alive clients with a network delay of 25 ms lose no request',
    appliesTo: everywhere,
    run: behindDelay,
  },
  { name: 'clients that never let up do not delay the exit', appliesTo: overHttp1, run: relentless },
];
