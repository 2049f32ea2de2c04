import { Redis } from 'ioredis';
import type { AppProcess } from '../../support/app-process.js';
import type { Plan } from './fixtures/plan.js';
import { beginDrain, clientOf, launch, type Outcome, type RpcClient } from './rpc-app.js';
import { useBrokers } from './transports.js';

const brokers = useBrokers();

const CLEAN = { code: 0, signal: null };
const KINDS = ['standalone', 'hybrid'] as const;

describe.each(KINDS)('tcp, %s: new messages while another one is in flight', (kind) => {
  const draining = async (): Promise<{ app: AppProcess; plan: Plan; client: RpcClient; held: Promise<Outcome> }> => {
    const plan = brokers.plan({ transport: 'tcp', kind });
    const app = await launch(plan);
    const client = await clientOf(app, plan);
    const held = client.ask('slow', 1);
    await app.line(/^at:slow-1$/);
    await beginDrain(app);
    return { app, plan, client, held };
  };

  it('answers a request immediately with an error that points to another instance, even on a new connection', async () => {
    const { app, plan, client, held } = await draining();
    const refusal = {
      values: [],
      error: { status: 'error', message: 'Service Unavailable: this instance is shutting down, retry on another one' },
    };
    expect(await client.ask('fast', 2)).toEqual(refusal);
    expect(await (await clientOf(app, plan)).ask('slow', 3)).toEqual(refusal);
    app.send('go slow-1');
    expect(await held).toEqual({ values: ['a slow 1, resource open'] });
    expect(await app.end()).toEqual(CLEAN);
    expect(app.output).toMatch(/all requests have been answered: 1 since startup, 2 refused/);
  });

  it('handles an event, because its sender would not learn of a refusal', async () => {
    const { app, client, held } = await draining();
    await client.emit('slow-event', 2);
    await app.line(/^at:event-2$/);
    app.send('go event-2');
    await app.line(/^event 2 done, resource open$/);
    app.send('go slow-1');
    expect(await held).toEqual({ values: ['a slow 1, resource open'] });
    expect(await app.end()).toEqual(CLEAN);
  });

  it('answers a request for an unknown pattern as usual', async () => {
    const { app, client, held } = await draining();
    expect(await client.ask('nobody')).toMatchObject({ error: expect.stringMatching(/no matching message handler/) });
    app.send('go slow-1');
    await held;
    expect(await app.end()).toEqual(CLEAN);
  });
});

describe.each(KINDS)('nats, %s: two instances in one queue group', (kind) => {
  const pair = async (): Promise<{ a: AppProcess; b: AppProcess; client: RpcClient }> => {
    const plan = brokers.plan({ transport: 'nats', kind });
    const [a, b] = await Promise.all([launch({ ...plan, name: 'a' }), launch({ ...plan, name: 'b' })]);
    return { a, b, client: await clientOf(a, plan) };
  };

  /** The broker picks the instance, so this sends requests until it has picked the wanted one. */
  const holdIn = async (wanted: AppProcess, other: AppProcess, client: RpcClient): Promise<Promise<Outcome>[]> => {
    const replies: Promise<Outcome>[] = [];
    for (let id = 0; wanted.lines(/^at:slow/).length === 0; id++) {
      const line = new RegExp(`^at:slow-${id}$`);
      replies.push(client.ask('slow', id));
      await Promise.any([wanted.line(line), other.line(line)]);
    }
    return replies;
  };

  it('lets the other instance answer all new requests while one drains', async () => {
    const { a, b, client } = await pair();
    const held = await holdIn(a, b, client);
    await beginDrain(a);
    // The broker may still have sent messages to the draining instance until it processed the unsubscribe.
    const early = await Promise.all(Array.from({ length: 100 }, (_, id) => client.ask('fast', id)));
    expect(early.map(({ values }) => String(values[0]).slice(2))).toEqual(early.map((_, id) => `fast ${id}`));
    const late = await Promise.all(Array.from({ length: 100 }, (_, id) => client.ask('fast', id)));
    expect(late).toEqual(late.map((_, id) => ({ values: [`b fast ${id}`] })));
    a.send('go all');
    b.send('go all');
    for (const { values } of await Promise.all(held)) expect(values).toEqual([expect.stringMatching(/resource open$/)]);
    expect(await a.end()).toEqual(CLEAN);
  });

  it('loses none of 200 requests when one instance is stopped in the middle', async () => {
    const { a, client } = await pair();
    const outcomes: Outcome[] = [];
    const caller = async (): Promise<void> => {
      while (outcomes.length < 200 || a.lines(/shutdown completed/).length === 0) {
        outcomes.push(await client.ask('fast', 0));
        if (outcomes.length === 50) a.kill('SIGTERM');
      }
    };
    await Promise.all(Array.from({ length: 10 }, caller));
    expect(outcomes.filter(({ values }) => !/^[ab] fast 0$/.test(String(values[0])))).toEqual([]);
    expect(await a.end()).toEqual(CLEAN);
    // Both instances have answered requests, so the stop happened in the middle of the burst.
    expect(new Set(outcomes.map(({ values }) => values[0]))).toEqual(new Set(['a fast 0', 'b fast 0']));
  });
});

describe.each([
  { kind: 'standalone', wildcards: false },
  { kind: 'hybrid', wildcards: false },
  { kind: 'standalone', wildcards: true },
] as const)(
  'redis, $kind, wildcards $wildcards: new messages while another one is in flight',
  ({ kind, wildcards }) => {
    it('unsubscribes the draining instance, and a second one answers', async () => {
      const plan = brokers.plan({ transport: 'redis', kind }, { options: { wildcards } });
      const a = await launch(plan);
      const client = await clientOf(a, plan);
      const held = client.ask('slow', 1);
      await a.line(/^at:slow-1$/);
      await beginDrain(a);
      const redis = new Redis({ host: '127.0.0.1', port: plan.brokerPort });
      try {
        const subscribed = async (): Promise<number> =>
          wildcards ? Number(await redis.pubsub('NUMPAT')) : Number((await redis.pubsub('NUMSUB', 'fast'))[1]);
        const deadline = Date.now() + 10_000;
        while ((await subscribed()) > 0 && Date.now() < deadline);
        expect(await subscribed()).toBe(0);
      } finally {
        redis.disconnect();
      }
      const b = await launch({ ...plan, name: 'b' });
      expect(await client.ask('fast', 2)).toEqual({ values: ['b fast 2'] });
      a.send('go slow-1');
      expect(await held).toEqual({ values: ['a slow 1, resource open'] });
      expect(await a.end()).toEqual(CLEAN);
      expect(a.output).toMatch(/all requests have been answered: 1 since startup/);
      expect(a.output).not.toMatch(/WARN|ERROR/);
      b.kill('SIGTERM');
      expect(await b.end()).toEqual(CLEAN);
    });
  },
);
