import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import { type Clock, systemClock } from '@roost/time';
import type { Transport } from './core/link/transport.js';
import { check } from './core/option-checks.js';
import { BrokerError } from './nats/broker.error.js';
import { NatsEndpoint } from './nats/nats-endpoint.js';

export { BrokerError } from './nats/broker.error.js';

/** Options of the NATS client. The client always reconnects. @publicApi */
export interface NatsOptions extends Omit<NodeConnectionOptions, 'maxReconnectAttempts' | 'reconnect' | 'name'> {
  /** Clock for timeouts. @default systemClock */
  clock?: Clock;
}

/** Options of version 3.4 of the client. The compiler rejects this list if one is missing. */
const NATS_OPTION_NAMES = Object.keys({
  clock: true,
  authenticator: true,
  debug: true,
  ignoreAuthErrorAbort: true,
  ignoreClusterUpdates: true,
  inboxPrefix: true,
  maxPingOut: true,
  noAsyncTraces: true,
  noEcho: true,
  noRandomize: true,
  pass: true,
  pedantic: true,
  pingInterval: true,
  port: true,
  reconnectDelayHandler: true,
  reconnectJitter: true,
  reconnectJitterTLS: true,
  reconnectTimeWait: true,
  reconnectToServer: true,
  resolve: true,
  servers: true,
  timeout: true,
  tls: true,
  token: true,
  user: true,
  verbose: true,
  waitOnFirstConnect: true,
} satisfies Record<keyof NatsOptions, true>);

/**
 * Sends frames over NATS, for processes on several machines. The subject is `roost.df.<app>.<to>.<from>`, and nothing
 * is stored. The broker decides which clients may take part; the token of the dataflow is not used. A frame can be no
 * longer than the broker's `max_payload`.
 *
 * @example
 * ```ts
 * import { DataflowModule, DataflowNode, OnStart } from '@roost/dataflow';
 * import { nats } from '@roost/dataflow/nats';
 *
 * @DataflowNode()
 * class HelloNode {
 *   @OnStart()
 *   greet(): void {
 *     console.log('hello');
 *   }
 * }
 *
 * export const graphModule = DataflowModule.forNode({
 *   graph: (g) => g.node(HelloNode),
 *   placement: { processes: { left: ['hello'] } },
 *   process: 'left',
 *   transport: nats({ servers: 'nats://127.0.0.1:4222' }),
 * });
 * ```
 *
 * @publicApi
 */
export function nats(given: NatsOptions = {}): Transport {
  check.knownKeys(given, NATS_OPTION_NAMES, 'nats');
  const { clock = systemClock, ...options } = given;
  return {
    async open(self, events) {
      const servers = [options.servers ?? `127.0.0.1:${options.port ?? 4222}`].flat().map(withoutSecrets).join(', ');
      let connection: NatsConnection | undefined;
      try {
        connection = await connect({
          reconnectTimeWait: 100,
          reconnectJitter: 50,
          // Detects a broker that is cut off without closing the connection.
          pingInterval: 5_000,
          ...options,
          name: `${self.app}/${self.name}`,
          reconnect: true,
          maxReconnectAttempts: -1,
          // Wrong credentials may be corrected while the client retries.
          ignoreAuthErrorAbort: true,
        });
        const endpoint = new NatsEndpoint(connection, self, events, clock);
        // Peers that learn the address of this process must be able to reach it.
        await connection.flush();
        return endpoint;
      } catch (cause) {
        void connection?.close();
        throw new BrokerError(servers, 'cannot be used', cause);
      }
    },
  };
}

/** Removes the user and password that an address may contain. */
const withoutSecrets = (server: string): string => server.replace(/^(\w+:\/\/)?.*@/, '$1');
