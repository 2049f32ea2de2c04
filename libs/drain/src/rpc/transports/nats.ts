import { clientOf, type RpcServer } from './rpc-server.js';
import { type TransportDrain, unknownTransport } from './transport-drain.js';

interface NatsSubscription {
  isClosed(): boolean;
  drain(): Promise<void>;
}

/**
 * Drains the subscriptions: the broker sends later messages to other subscribers, and messages already sent are
 * handled.
 */
export const natsTransport = (server: RpcServer): TransportDrain => ({
  ...unknownTransport,
  keepsComing: false,
  async stop() {
    const { subscriptions = [] } = server as { subscriptions?: NatsSubscription[] };
    const open = subscriptions.filter((subscription) => !subscription.isClosed());
    await Promise.all(open.map((subscription) => subscription.drain()));
  },
  flush: async () => (clientOf(server) as { flush(): Promise<void> } | undefined)?.flush(),
});
