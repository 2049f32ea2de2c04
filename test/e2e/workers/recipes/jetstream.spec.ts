import { AppProcess } from '../../../support/app-process.js';
import { installBrokers } from '../../../support/brokers.js';
import { OrderStream } from './order-stream.js';
import { until } from '../../../support/until.js';
import { CLEAN, launch, stop, WAITING } from './recipe-app.js';
import { WorkLog } from './work-log.js';

const { jest } = import.meta;
jest.setTimeout(60_000);
// The broker may have to be installed.
beforeAll(() => installBrokers(), 300_000);

let stream: OrderStream;
let log: WorkLog;
const startStream = async (ackWaitMs: number): Promise<void> => {
  stream = await OrderStream.start({ ackWaitMs });
};
beforeEach(async () => {
  log = await WorkLog.create();
});
afterEach(async () => {
  await AppProcess.killAll();
  await stream.stop();
  await log.remove();
});

const isDone = ({ waiting, taken }: { waiting: number; taken: number }): boolean => waiting + taken === 0;

describe('recipe for JetStream', () => {
  it('SIGTERM: acknowledges the current messages, takes no other, exit code 0', async () => {
    await startStream(30_000);
    const app = await launch('jetstream', log, stream.env);
    const inHand = [1, 2, 3, 4];
    await stream.add(...inHand.map((id) => ({ id, pace: 'gate' as const })));
    for (const id of inHand) await app.line(new RegExp(`^at:order ${id}$`));
    await stream.add({ id: 5, pace: 0 });
    expect(await stream.counts()).toEqual({ waiting: 1, taken: 4, deliveries: 4 });

    app.kill('SIGTERM');
    expect(await app.line(WAITING)).toMatch(/order 1\b/);
    for (const _ of inHand) app.send('go');

    expect(await app.end()).toEqual(CLEAN);
    expect(log.ended).toHaveLength(4);
    expect(log.begun).not.toContain('order 5');
    expect(await stream.counts()).toEqual({ waiting: 1, taken: 0, deliveries: 4 });
  });

  it('SIGTERM with a free slot: leaves new messages to the next process', async () => {
    await startStream(30_000);
    const app = await launch('jetstream', log, stream.env);
    await stream.add({ id: 1, pace: 'gate' });
    await app.line(/^at:order 1$/);

    app.kill('SIGTERM');
    await app.line(WAITING);
    await stream.add({ id: 2, pace: 0 });
    app.send('go');

    expect(await app.end()).toEqual(CLEAN);
    expect(await stream.counts()).toEqual({ waiting: 1, taken: 0, deliveries: 1 });
    const next = await launch('jetstream', log, stream.env);
    await next.line(/^end order 2$/);
    expect(await stop(next)).toMatchObject({ code: 0 });
    expect(log.lines).toEqual(['begin order 1', 'end order 1', 'begin order 2', 'end order 2']);
    expect(await stream.counts()).toEqual({ waiting: 0, taken: 0, deliveries: 2 });
  });

  it('SIGTERM: waits until the server has confirmed the acknowledgements', async () => {
    await startStream(30_000);
    const app = await launch('jetstream', log, stream.env);
    // One message per slot, so that only the acknowledgements are outstanding.
    const inHand = [1, 2, 3, 4];
    await stream.add(...inHand.map((id) => ({ id, pace: 'gate' as const })));
    for (const id of inHand) await app.line(new RegExp(`^at:order ${id}$`));
    await stream.server.freeze();

    app.kill('SIGTERM');
    for (const _ of inHand) app.send('go');
    for (const id of inHand) await app.line(new RegExp(`^end order ${id}$`));
    // The first line is logged one second after SIGTERM.
    await app.line(WAITING);
    stream.server.thaw();

    expect(await app.end()).toEqual(CLEAN);
    expect(await stream.counts()).toEqual({ waiting: 0, taken: 0, deliveries: 4 });
  });

  it('SIGTERM while idle: exits immediately', async () => {
    await startStream(30_000);
    const app = await launch('jetstream', log, stream.env);
    await stream.add({ id: 1, pace: 0 });
    await until('the message', async () => isDone(await stream.counts()));

    const { code, tookMs } = await stop(app);

    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(3_000);
  });

  it('SIGTERM while idle without NATS: exits with 0 as soon as the client notices', async () => {
    await startStream(30_000);
    const app = await launch('jetstream', log, stream.env);
    await stream.add({ id: 1, pace: 0 });
    await until('the message', async () => isDone(await stream.counts()));
    await stream.server.kill();

    const { code, tookMs } = await stop(app);

    expect(code).toBe(0);
    // The client reconnects every two seconds.
    expect(tookMs).toBeLessThan(6_000);
  });

  it('names a stuck message with exit code 1, and JetStream passes it to the next process', async () => {
    await startStream(2_000);
    const app = await launch('jetstream', log, { ...stream.env, ROOST_MAX_WAIT_MS: '500' });
    await stream.add({ id: 1, pace: 'gate' }, { id: 2, pace: 'stuck' });
    await app.line(/^at:order 1$/);
    await app.line(/^begin order 2$/);

    app.kill('SIGTERM');
    app.send('go');

    expect((await app.end()).code).toBe(1);
    expect(app.output).toMatch(/Still running after .*: order-stream: 1 item in flight, .*\(order 2 for [\d.]+ m?s\)/);
    expect(await stream.counts()).toEqual({ waiting: 0, taken: 1, deliveries: 2 });
    const next = await launch('jetstream', log, stream.env);
    await next.line(/^begin order 2$/);
    expect(log.begun.filter((order) => order === 'order 1')).toHaveLength(1);
  });

  it('redelivers a message whose handler fails after a second, not only after ack_wait', async () => {
    await startStream(30_000);
    const app = await launch('jetstream', log, stream.env);
    await stream.add({ id: 1, pace: 'flaky' });

    await app.line(/^end order 1$/);

    expect(app.lines(/ERROR \[OrderStreamProcess\] .*order 1 is flaky/)).toHaveLength(1);
    expect(log.lines).toEqual(['begin order 1', 'begin order 1', 'end order 1']);
    expect(await stop(app)).toMatchObject({ code: 0 });
    expect(await stream.counts()).toEqual({ waiting: 0, taken: 0, deliveries: 2 });
  });

  it('without the recipe: the current message is cut off, and prefetched messages wait for ack_wait', async () => {
    await startStream(30_000);
    const app = await launch('naive-jetstream', log, stream.env);
    await stream.add({ id: 1, pace: 'gate' }, { id: 2, pace: 0 }, { id: 3, pace: 0 });
    await app.line(/^at:order 1$/);
    await until('the rest', async () => (await stream.counts()).taken === 3);

    expect(await stop(app)).toMatchObject({ code: 0 });

    expect(log.lines).toEqual(['begin order 1']);
    expect(await stream.counts()).toEqual({ waiting: 0, taken: 3, deliveries: 3 });
  });
});
