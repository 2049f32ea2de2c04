import { type Job, Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { type Broker, startRedis } from '../../../support/brokers.js';
import type { Order } from './fixtures/orders.js';

/** Redis with the queue of orders, for inspection by the test. */
export class OrderQueue {
  readonly #queue: Queue<Order>;

  private constructor(readonly broker: Broker) {
    this.#queue = new Queue<Order>('orders', { connection: this.connection });
  }

  static async start(): Promise<OrderQueue> {
    return new OrderQueue(await startRedis());
  }

  get connection(): { host: string; port: number } {
    return { host: '127.0.0.1', port: this.broker.port };
  }

  get env(): Record<string, string> {
    return { REDIS_URL: `redis://127.0.0.1:${this.broker.port}` };
  }

  async add(...orders: Order[]): Promise<void> {
    await this.#queue.addBulk(orders.map((data) => ({ name: 'order', data, opts: { jobId: jobId(data.id) } })));
  }

  async job(id: number): Promise<Job<Order>> {
    return (await this.#queue.getJob(jobId(id)))!;
  }

  async state(id: number): Promise<string> {
    return (await this.job(id)).getState();
  }

  counts(): Promise<Record<string, number>> {
    return this.#queue.getJobCounts('waiting', 'active', 'completed', 'failed');
  }

  /** Simulates that `lockDuration` and `stalledInterval` have passed since the process of the job exited. */
  async letTimePass(id: number): Promise<void> {
    const redis = new Redis(this.connection);
    await redis.del(`${this.#queue.toKey(jobId(id))}:lock`, this.#queue.toKey('stalled-check'));
    await redis.quit();
  }

  async stop(): Promise<void> {
    await this.#queue.close();
    await this.broker.stop();
  }
}

/** BullMQ rejects numeric ids. */
const jobId = (id: number): string => `order-${id}`;
