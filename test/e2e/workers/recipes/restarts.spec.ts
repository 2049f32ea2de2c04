import { AppProcess } from '../../../support/app-process.js';
import { installBrokers } from '../../../support/brokers.js';
import { OrderQueue } from './order-queue.js';
import { OrderStream } from './order-stream.js';
import { orders, repeated, restartAtRandom } from './restarts.js';
import { WorkLog } from './work-log.js';

const { jest } = import.meta;
jest.setTimeout(120_000);
// The brokers may have to be installed.
beforeAll(() => installBrokers(), 300_000);

const ORDERS = 1_000;
/** Enough orders that many restarts happen before they are done. */
const LEAST_RESTARTS = 8;
const seed = Number(process.env.RECIPES_SEED ?? 1);

let broker: OrderQueue | OrderStream;
let log: WorkLog;
beforeEach(async () => {
  log = await WorkLog.create();
});
afterEach(async () => {
  await AppProcess.killAll();
  await broker.stop();
  await log.remove();
});

const expectEachOnce = (codes: (number | null)[]): void => {
  expect(repeated(log.begun)).toEqual([]);
  expect(new Set(log.begun).size).toBe(ORDERS);
  expect([...log.ended].sort()).toEqual([...log.begun].sort());
  expect(codes.length).toBeGreaterThanOrEqual(LEAST_RESTARTS);
  expect(new Set(codes)).toEqual(new Set([0]));
};

describe(`1,000 orders, two consumers that are restarted at random moments (seed ${seed})`, () => {
  it('BullMQ: processes each order once, cuts none off and leaves none behind', async () => {
    const queue = (broker = await OrderQueue.start());
    await queue.add(...orders(ORDERS, seed));
    const isDone = async (): Promise<boolean> => {
      const { waiting, active } = await queue.counts();
      return waiting! + active! === 0;
    };

    const codes = await restartAtRandom({ app: 'bullmq', env: queue.env, log, seed, isDone });

    expectEachOnce(codes);
    expect(await queue.counts()).toEqual({ waiting: 0, active: 0, completed: ORDERS, failed: 0 });
  });

  it('JetStream: processes each order once, cuts none off, and none has to wait for ack_wait', async () => {
    const stream = (broker = await OrderStream.start({ ackWaitMs: 30_000 }));
    await stream.add(...orders(ORDERS, seed));
    const isDone = async (): Promise<boolean> => {
      const { waiting, taken } = await stream.counts();
      return waiting + taken === 0;
    };

    const codes = await restartAtRandom({ app: 'jetstream', env: stream.env, log, seed, isDone });

    expectEachOnce(codes);
    const { deliveries } = await stream.counts();
    // NATS also counts a message that it was about to send to a request that was withdrawn at that moment.
    expect(deliveries).toBeLessThanOrEqual(ORDERS + 1);
  });
});
