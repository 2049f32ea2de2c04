import { type Broker, installBrokers, startNats, startRedis } from '../../support/brokers.js';
import type { Plan } from './fixtures/plan.js';

type Target = Pick<Plan, 'transport' | 'kind'>;

/** Every transport, standalone and beside HTTP. */
export const TARGETS: Target[] = (['tcp', 'nats', 'redis'] as const).flatMap((transport) => [
  { transport, kind: 'standalone' },
  { transport, kind: 'hybrid' },
]);

/** One broker of each kind for all tests of a file. */
export class Brokers {
  #nats: Broker | undefined;
  #redis: Broker | undefined;

  async start(): Promise<void> {
    await installBrokers();
    this.#nats = await startNats();
    this.#redis = await startRedis();
  }

  async stop(): Promise<void> {
    await this.#nats?.stop();
    await this.#redis?.stop();
  }

  plan(target: Target, more: Partial<Plan> = {}): Plan {
    const broker = { tcp: undefined, nats: this.#nats, redis: this.#redis }[target.transport];
    return { subject: 'roost', ...target, ...(broker && { brokerPort: broker.port }), ...more };
  }
}
