import { AckPolicy, type ConsumerInfo, jetstream, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connect, nanos, type NatsConnection } from '@nats-io/transport-node';
import type { Order } from './fixtures/orders.js';
import { type JetStreamServer, startJetStream } from './jetstream-server.js';

const STREAM = 'ORDERS';
const CONSUMER = 'place-orders';

/** NATS with the stream of orders, for inspection by the test. */
export class OrderStream {
  private constructor(
    readonly server: JetStreamServer,
    private readonly connection: NatsConnection,
    private readonly manager: JetStreamManager,
  ) {}

  static async start({ ackWaitMs }: { ackWaitMs: number }): Promise<OrderStream> {
    const server = await startJetStream();
    const connection = await connect({ servers: server.url });
    const manager = await jetstreamManager(connection);
    await manager.streams.add({ name: STREAM, subjects: ['orders'] });
    const settings = { durable_name: CONSUMER, ack_policy: AckPolicy.Explicit, ack_wait: nanos(ackWaitMs) };
    await manager.consumers.add(STREAM, settings);
    return new OrderStream(server, connection, manager);
  }

  get env(): Record<string, string> {
    return { NATS_URL: this.server.url };
  }

  async add(...orders: Order[]): Promise<void> {
    const client = jetstream(this.connection);
    await Promise.all(orders.map((order) => client.publish('orders', JSON.stringify(order))));
  }

  /** Numbers of pending messages, unacknowledged messages, and deliveries. */
  async counts(): Promise<{ waiting: number; taken: number; deliveries: number }> {
    const info: ConsumerInfo = await this.manager.consumers.info(STREAM, CONSUMER);
    return { waiting: info.num_pending, taken: info.num_ack_pending, deliveries: info.delivered.consumer_seq };
  }

  async stop(): Promise<void> {
    await this.connection.close();
    await this.server.stop();
  }
}
