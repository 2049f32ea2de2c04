import { type Broker, installBrokers, startNats, startRedis } from '../../support/brokers.js';
import type { Plan } from './fixtures/plan.js';
import { cleanUp } from './rpc-app.js';

const { jest } = import.meta;

type Target = Pick<Plan, 'transport' | 'kind'>;

/** Every transport, standalone and together with HTTP. */
export const TARGETS: Target[] = (['tcp', 'nats', 'redis'] as const).flatMap((transport) => [
  { transport, kind: 'standalone' },
  { transport, kind: 'hybrid' },
]);

/** One broker of each kind for all tests of a file. */
class Brokers {
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

/** Runs the brokers of a spec file during its tests, and ends everything that a test has started after it. */
export const useBrokers = (): Brokers => {
  const brokers = new Brokers();
  // Each test starts several processes.
  jest.setTimeout(60_000);
  // The brokers may have to be installed.
  beforeAll(() => brokers.start(), 300_000);
  afterEach(() => cleanUp());
  afterAll(() => brokers.stop());
  return brokers;
};
