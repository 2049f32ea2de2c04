import { clientOf, type RpcServer } from './rpc-server.js';
import { type TransportDrain, unknownTransport } from './transport-drain.js';

interface RedisSubscriber {
  readonly status: string;
  readonly options: { autoResubscribe?: boolean };
  unsubscribe(): Promise<unknown>;
  punsubscribe(): Promise<unknown>;
}

/**
 * Unsubscribes: Redis stores nothing, so later messages reach only the other subscribers. A reply counts as sent when
 * Redis has acknowledged it, so there is nothing to flush.
 */
export const redisTransport = (server: RpcServer): TransportDrain => ({
  ...unknownTransport,
  keepsComing: false,
  async stop() {
    const [, subscriber] = (clientOf(server) as [unknown, RedisSubscriber] | undefined) ?? [];
    if (!subscriber) return;
    subscriber.options.autoResubscribe = false;
    // Without a connection no message arrives, and a command that waits for one would delay the close.
    if (subscriber.status !== 'ready') return;
    const { wildcards } = (server.options ?? {}) as { wildcards?: boolean };
    // Not both: the library takes the answer to one for the answer to the other.
    await (wildcards ? subscriber.punsubscribe() : subscriber.unsubscribe());
  },
});
