import { Worker } from 'bullmq';
import { AppProcess } from '../../../support/app-process.js';
import { installBrokers } from '../../../support/brokers.js';
import { OrderQueue } from './order-queue.js';
import { until } from '../../../support/until.js';
import { CLEAN, closedAt, launch, stop, WAITING } from './recipe-app.js';
import { WorkLog } from './work-log.js';

const { jest } = import.meta;
jest.setTimeout(60_000);
// The broker may have to be installed.
beforeAll(() => installBrokers(), 300_000);

let queue: OrderQueue;
let log: WorkLog;
let next: Worker | undefined;
beforeEach(async () => {
  queue = await OrderQueue.start();
  log = await WorkLog.create();
});
afterEach(async () => {
  await AppProcess.killAll();
  await next?.close();
  next = undefined;
  await queue.stop();
  await log.remove();
});

describe('recipe for BullMQ', () => {
  it.each(['bullmq', 'bullmq-tasks'] as const)(
    '%s, SIGTERM: completes the current jobs, starts no other, exit code 0',
    async (recipe) => {
      const app = await launch(recipe, log, queue.env);
      const inHand = [1, 2, 3, 4];
      await queue.add(...inHand.map((id) => ({ id, pace: 'gate' as const })));
      for (const id of inHand) await app.line(new RegExp(`^at:order ${id}$`));
      await queue.add({ id: 5, pace: 0 });

      app.kill('SIGTERM');
      expect(await app.line(WAITING)).toMatch(/orders? 1\b/);
      for (const _ of inHand) app.send('go');

      expect(await app.end()).toEqual(CLEAN);
      expect(log.ended).toHaveLength(4);
      expect(log.begun).not.toContain('order 5');
      expect(await queue.counts()).toEqual({ waiting: 1, active: 0, completed: 4, failed: 0 });
      for (const id of inHand) expect((await queue.job(id)).finishedOn).toBeLessThanOrEqual(closedAt(app));
      expect((await queue.job(5)).attemptsStarted).toBe(0);
    },
  );

  it('SIGTERM with a free slot: leaves new jobs to the next process', async () => {
    const app = await launch('bullmq', log, queue.env);
    await queue.add({ id: 1, pace: 'gate' });
    await app.line(/^at:order 1$/);

    app.kill('SIGTERM');
    await app.line(WAITING);
    await queue.add({ id: 2, pace: 0 });
    app.send('go');

    expect(await app.end()).toEqual(CLEAN);
    expect(await queue.counts()).toEqual({ waiting: 1, active: 0, completed: 1, failed: 0 });
    const heir = await launch('bullmq', log, queue.env);
    await heir.line(/^end order 2$/);
    expect(await stop(heir)).toMatchObject({ code: 0 });
    expect(log.lines).toEqual(['begin order 1', 'end order 1', 'begin order 2', 'end order 2']);
  });

  it.each(['bullmq', 'bullmq-tasks'] as const)('%s, SIGTERM while idle: exits immediately', async (recipe) => {
    const app = await launch(recipe, log, queue.env);
    await queue.add({ id: 1, pace: 0 });
    await until('the job', async () => (await queue.state(1)) === 'completed');

    const { code, tookMs } = await stop(app);

    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(3_000);
  });

  it('SIGTERM without Redis: waits for it until maxWaitMs, then reports it with exit code 1', async () => {
    const app = await launch('bullmq', log, { ...queue.env, ROOST_MAX_WAIT_MS: '500' });
    await queue.broker.kill();

    expect(await stop(app)).toMatchObject({ code: 1 });

    expect(app.output).toMatch(/Still running after .*: order-queue: for /);
  });

  it('names a stuck job with exit code 1, and BullMQ passes it to the next process', async () => {
    const app = await launch('bullmq', log, { ...queue.env, ROOST_MAX_WAIT_MS: '500' });
    await queue.add({ id: 1, pace: 'stuck' }, { id: 2, pace: 'gate' });
    await app.line(/^begin order 1$/);
    await app.line(/^at:order 2$/);

    app.kill('SIGTERM');
    app.send('go');

    expect((await app.end()).code).toBe(1);
    expect(app.output).toMatch(/Still running after .*: order-queue: for [\d.]+ m?s \(order 1 for [\d.]+ m?s\)/);
    expect([await queue.state(1), await queue.state(2)]).toEqual(['active', 'completed']);

    await queue.letTimePass(1);
    const again: unknown[] = [];
    next = new Worker('orders', async ({ data }) => void again.push(data), {
      connection: queue.connection,
      stalledInterval: 100,
    });
    await until('the stuck job', () => again.length > 0);
    expect(again).toEqual([{ id: 1, pace: 'stuck' }]);
  });

  it('without the recipe: the current job is cut off and stays active', async () => {
    const app = await launch('naive-bullmq', log, queue.env);
    await queue.add({ id: 1, pace: 'gate' });
    await app.line(/^at:order 1$/);

    expect(await stop(app)).toMatchObject({ code: 0 });

    expect(log.lines).toEqual(['begin order 1']);
    expect(await queue.counts()).toEqual({ waiting: 0, active: 1, completed: 0, failed: 0 });
  });
});
