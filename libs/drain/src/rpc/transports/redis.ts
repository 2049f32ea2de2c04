import { clientOf, type RpcServer } from './rpc-server.js';
import { type TransportDrain, unknownTransport } from './transport-drain.js';

interface RedisSubscriber {
  readonly status: string;
  readonly options: { autoResubscribe?: boolean };
  unsubscribe(): Promise<unknown>;
  punsubscribe(): Promise<unknown>;
}

/**
 * Unsubscribes: Redis stores nothing, so later messages reach only other subscribers. A reply counts as sent when Redis
 * has acknowledged it, so there is nothing to flush.
 */
export const redisTransport = (server: RpcServer): TransportDrain => ({
  ...unknownTransport,
  keepsComing: false,
  async stop() {
    const [, subscriber] = (clientOf(server) as [unknown, RedisSubscriber] | undefined) ?? [];
    if (!subscriber) return;
    subscriber.options.autoResubscribe = false;
    // Without a connection no message arrives, and a command that waits for a connection would delay the close.
    if (subscriber.status !== 'ready') return;
    const { wildcards } = (server.options ?? {}) as { wildcards?: boolean };
    // Only one of the two commands: the library confuses their answers.
    await (wildcards ? subscriber.punsubscribe() : subscriber.unsubscribe());
  },
});
